// SPDX-License-Identifier: Apache-2.0
// Candidates of a task: what is accepted, and every reason for which one is not.
#include <gtest/gtest.h>

#include "task/task.h"

namespace kp::task {
namespace {

/// A task as a folder would declare it: x[rows, cols] and weight w[cols] to y[rows, cols].
Task matrix_task() {
  const auto parsed = parse_plan(R"(/* kernelpro
axis rows = 4096, cols = 2048
check rows = 67, cols = 129
input x : f32[rows, cols]
weight w : f16[cols]
input eps : f32 = 1e-5
output y : f32[rows, cols]
launch k<<<1, 1>>>(x, y) */)",
                                 "task");
  EXPECT_TRUE(parsed) << parsed.error().text();
  Task task;
  task.name = "matrix";
  task.path = "tasks/matrix";
  task.declaration = parsed->declaration;
  task.workloads = parsed->workloads;
  return task;
}

Result<Candidate> candidate(const std::string& body, const Bindings& tune = {},
                            const std::string& code = "") {
  return make_candidate(matrix_task(), "/* kernelpro\n" + body + "\n*/\n" + code, "k.cu", tune);
}

std::string error_in(const std::string& body, const Bindings& tune = {},
                     const std::string& code = "") {
  const auto result = candidate(body, tune, code);
  return result ? "no error" : result.error().text();
}

TEST(Candidate, TakesTheFirstValueOfEveryTuneParameterThatIsNotChosen) {
  const std::string body =
      "tune B in 128, 256\ntune S in 2, 4\nlaunch k<<<rows, B>>>(x, w, eps, y, S)";
  const auto first = candidate(body);
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_EQ(first->tune, (Bindings{{"B", 128}, {"S", 2}}));
  const auto chosen = candidate(body, {{"B", 256}});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->tune, (Bindings{{"B", 256}, {"S", 2}}));
  EXPECT_NE(chosen->id(), first->id());
  EXPECT_EQ(candidate(body)->id(), first->id());
}

TEST(Candidate, TurnsArgumentsThatNameAxesOrTuneParametersIntoExpressions) {
  const auto made = candidate("tune S in 2, 4\nlaunch k<<<rows, 32>>>(x, y, cols, S, eps)");
  ASSERT_TRUE(made) << made.error().text();
  const auto& arguments = std::get<Launch>(made->plan.steps[0]).arguments;
  EXPECT_EQ(std::get<std::string>(arguments[0].value), "x");
  EXPECT_EQ(std::get<Expr>(arguments[2].value).evaluate({{"cols", 7}}).value(), 7);
  EXPECT_TRUE(std::holds_alternative<Expr>(arguments[3].value));
  EXPECT_EQ(std::get<std::string>(arguments[4].value), "eps");
}

TEST(Candidate, MayTightenThePrecisionOfItsTask) {
  EXPECT_EQ(error_in("precision f32\nlaunch k<<<1, 1>>>(x, y)"), "no error");
  Task task = matrix_task();
  task.declaration.precision = Precision::kF32;
  const auto loose =
      make_candidate(task, "/* kernelpro\nprecision tf32\nlaunch k<<<1, 1>>>(x, y)\n*/", "k.cu");
  ASSERT_FALSE(loose);
  EXPECT_EQ(loose.error().text(),
            "k.cu:1:1: precision tf32 is looser than the task's f32\nhint: a candidate may only "
            "tighten the precision of its task");
}

struct Case {
  const char* name;
  const char* body;
  const char* text;
};

void PrintTo(const Case& example, std::ostream* out) { *out << example.name; }
std::string name_of_case(const testing::TestParamInfo<Case>& example) { return example.param.name; }

class CandidateErrors : public testing::TestWithParam<Case> {};

TEST_P(CandidateErrors, SayWhatWhereAndWhatToDo) {
  EXPECT_EQ(error_in(GetParam().body), GetParam().text) << GetParam().body;
}

const Case kNames[] = {
    {"Redeclares", "input x : f32[4]\noutput y : f32[4]\nlaunch k<<<1, 1>>>(x, y)",
     "k.cu:2:1: `input x : f32[4]`: a candidate may not redeclare the task\nhint: remove the line; "
     "the task `matrix` declares axes, inputs, outputs and work"},
    {"BufferLikeTensor", "buffer x : f32[4]\nlaunch k<<<1, 1>>>(x, y)",
     "k.cu:2:8: `x` is already a name of the task\nhint: rename it; a plan's names and the task's "
     "share one set"},
    {"TuneLikeAxis", "tune rows in 1, 2\nlaunch k<<<1, 1>>>(x, y)",
     "k.cu:2:6: `rows` is already a name of the task\nhint: rename it; a plan's names and the "
     "task's "
     "share one set"},
    {"UnknownBuffer", "buffer part : f32[4]\nlaunch k<<<1, 1>>>(x, y, prat)",
     "k.cu:3:26: unknown argument `prat`\nhint: did you mean `part`?"},
    {"StrangeArgument", "launch k<<<1, 1>>>(x, y, temporary)",
     "k.cu:2:26: unknown argument `temporary`\nhint: declare it with `buffer`, or pass one of the "
     "task's tensors and axes"},
    {"UnknownInGrid", "launch k<<<row, 1>>>(x, y)",
     "k.cu:2:8: unknown name `row` in `row`\nhint: did you mean `rows`?"},
    {"TensorInGrid", "launch k<<<1, 1, x>>>(x, y)",
     "k.cu:2:8: unknown name `x` in `x`\nhint: the names known here are rows, cols"},
    {"UnknownInCluster", "launch k<<<2, 1>>>(x, y) cluster(N)",
     "k.cu:2:8: unknown name `N` in `N`\nhint: the names known here are rows, cols"},
    {"UnknownInArgument", "launch k<<<1, 1>>>(x, y, clos * 2)",
     "k.cu:2:26: unknown name `clos` in `clos * 2`\nhint: did you mean `cols`?"},
    {"UnknownInBuffer", "buffer b : f32[depth]\nlaunch k<<<1, 1>>>(x, y)",
     "k.cu:2:8: unknown name `depth` in `depth`\nhint: the names known here are rows, cols"},
    {"UnknownInWhere", "tune B in 1, 2 where B < lanes\nlaunch k<<<1, 1>>>(x, y)",
     "k.cu:2:6: unknown name `lanes` in `B < lanes`\nhint: the names known here are rows, cols, B"},
    {"ZeroUnknown", "buffer part : f32[4]\nzero prt\nlaunch k<<<1, 1>>>(x, y)",
     "k.cu:3:6: unknown buffer `prt`\nhint: did you mean `part`?"},
    {"ZeroInput", "zero x\nlaunch k<<<1, 1>>>(x, y)",
     "k.cu:2:6: `x` is neither a buffer nor an output\nhint: `zero` clears scratch buffers and "
     "outputs only"},
    {"ZeroOfOutputBeforeTheRun", "prepare zero y\nlaunch k<<<1, 1>>>(x, y)",
     "k.cu:2:14: `prepare` cannot see output `y`\nhint: only weights and scratch buffers are there "
     "before the run"},
    {"OutputUnused", "launch k<<<1, 1>>>(x)",
     "k.cu:1:1: no launch gets output `y`\nhint: pass it to the kernel that writes it"},
    {"PrepareSeesInput", "prepare launch p<<<1, 1>>>(x)\nlaunch k<<<1, 1>>>(x, y)",
     "k.cu:2:28: `prepare` cannot see input `x`\nhint: only weights and scratch buffers are there "
     "before the run"},
    {"PrepareSeesMap",
     "tensormap t = x box(4, 4)\nprepare launch p<<<1, 1>>>(t)\nlaunch k<<<1, 1>>>(x, y)",
     "k.cu:3:28: `prepare` cannot see input `x`\nhint: only weights and scratch buffers are there "
     "before the run"},
    {"MapOfNothing", "tensormap t = q box(4, 4)\nlaunch k<<<1, 1>>>(t, y)",
     "k.cu:2:11: unknown tensor `q`\nhint: declare it with `buffer`, or pass one of the task's "
     "tensors and axes"},
    {"MapRank", "tensormap t = x box(4)\nlaunch k<<<1, 1>>>(t, y)",
     "k.cu:2:11: the box of `t` has 1 dimensions, `x` has 2\nhint: give one extent for each "
     "dimension "
     "of the array"},
};
INSTANTIATE_TEST_SUITE_P(Names, CandidateErrors, testing::ValuesIn(kNames), name_of_case);

const Case kSizes[] = {
    {"ZeroGrid", "launch k<<<rows / 100, 32>>>(x, y)",
     "k.cu:2:8: workload rows=67,cols=129: grid x = `rows / 100` is 0\nhint: CUDA allows 1 to "
     "2147483647"},
    {"HugeGridY", "launch k<<<(1, rows * 16), 32>>>(x, y)",
     "k.cu:2:8: workload rows=4096,cols=2048: grid y = `rows * 16` is 65536\nhint: CUDA allows 1 "
     "to "
     "65535"},
    {"NegativeBlock", "launch k<<<1, 0 - 1>>>(x, y)",
     "k.cu:2:8: workload rows=4096,cols=2048: block x = `0 - 1` is -1\nhint: CUDA allows 1 to "
     "1024"},
    {"BlockZ", "launch k<<<1, (1, 1, 65)>>>(x, y)",
     "k.cu:2:8: workload rows=4096,cols=2048: block z = `65` is 65\nhint: CUDA allows 1 to 64"},
    {"BlockVolume", "launch k<<<1, (64, 32)>>>(x, y)",
     "k.cu:2:8: workload rows=4096,cols=2048: a block of 2048 threads\nhint: CUDA allows at most "
     "1024"},
    {"SharedMemory", "launch k<<<1, 32, cols * 128>>>(x, y)",
     "k.cu:2:8: workload rows=4096,cols=2048: dynamic shared memory `cols * 128` is 262144 "
     "bytes\nhint: a block has at most 232448 bytes on any supported GPU"},
    {"ClusterVolume", "launch k<<<64, 32>>>(x, y) cluster(8, 4)",
     "k.cu:2:8: workload rows=4096,cols=2048: a cluster of 32 blocks\nhint: CUDA allows at most "
     "16, "
     "portably 8"},
    {"ClusterDivides", "launch k<<<rows, 32>>>(x, y) cluster(2)",
     "k.cu:2:8: workload rows=67,cols=129: grid x = 67 is no multiple of the cluster's 2\nhint: "
     "round the grid up and let the surplus blocks return"},
    {"DivisionByZero", "launch k<<<rows / (cols - cols), 32>>>(x, y)",
     "k.cu:2:8: workload rows=4096,cols=2048: `rows / (cols - cols)` divides by zero\nhint: check "
     "the "
     "axis and tune values that the divisor depends on"},
    {"Overflow", "launch k<<<1, 32>>>(x, y, rows * 0x7fffffffffffffff)",
     "k.cu:2:27: workload rows=4096,cols=2048: `rows * 0x7fffffffffffffff` overflows 64 "
     "bits\nhint: "
     "use smaller axis values or a smaller expression"},
    {"ZeroedTooLarge", "buffer b : f32[rows * 8] = 0\nlaunch k<<<1, 32>>>(x, y, b)",
     "k.cu:2:8: workload rows=4096,cols=2048: zeroed buffer `b` has 131072 bytes\nhint: `= 0` "
     "clears "
     "at most 65536 bytes untimed; for more, drop it and add the step `zero b`"},
    {"EmptyBuffer", "buffer b : f32[rows / 100]\nlaunch k<<<1, 32>>>(x, y, b)",
     "k.cu:2:8: workload rows=67,cols=129: dimension `rows / 100` is 0\nhint: every dimension of "
     "an "
     "array must be at least 1"},
    {"BoxTooLong", "tensormap t = x box(8, 512)\nlaunch k<<<1, 32>>>(t, y)",
     "k.cu:2:11: workload rows=4096,cols=2048: box extent `512` of `t` is 512\nhint: TMA allows 1 "
     "to "
     "256"},
    {"BoxBytes", "tensormap t = x box(8, 3)\nlaunch k<<<1, 32>>>(t, y)",
     "k.cu:2:11: workload rows=4096,cols=2048: the innermost extent of `t` has 12 bytes\nhint: TMA "
     "moves multiples of 16 bytes"},
    {"BoxSwizzle", "tensormap t = x box(8, 32) swizzle 64B\nlaunch k<<<1, 32>>>(t, y)",
     "k.cu:2:11: workload rows=4096,cols=2048: the innermost extent of `t` has 128 bytes, more "
     "than "
     "swizzle 64B\nhint: make the box narrower or the swizzle wider"},
    {"WhereFails", "tune B in 512, 64 where B <= cols\nlaunch k<<<1, B>>>(x, y)",
     "k.cu:2:6: workload rows=67,cols=129: B=512 does not satisfy `B <= cols`\nhint: B=64 does, "
     "for "
     "all workloads"},
    {"WhereNever", "tune B in 512, 256 where B <= cols\nlaunch k<<<1, B>>>(x, y)",
     "k.cu:2:6: workload rows=67,cols=129: B=512 does not satisfy `B <= cols`\nhint: no listed "
     "value "
     "does for all workloads"},
};
INSTANTIATE_TEST_SUITE_P(Sizes, CandidateErrors, testing::ValuesIn(kSizes), name_of_case);

TEST(Candidate, RefusesATuneChoiceThatThePlanDoesNotOffer) {
  const std::string body = "tune BLOCK in 128, 256\nlaunch k<<<1, BLOCK>>>(x, y)";
  EXPECT_EQ(error_in(body, {{"BLOCK", 96}}),
            "k.cu:2:6: BLOCK = 96 is not in its list\nhint: choose one of the values that the plan "
            "lists");
  EXPECT_EQ(error_in(body, {{"BLOK", 128}}),
            "k.cu:1:1: the plan has no tune parameter `BLOK`\nhint: did you mean `BLOCK`?");
  EXPECT_EQ(error_in("launch k<<<1, 1>>>(x, y)", {{"B", 1}}),
            "k.cu:1:1: the plan has no tune parameter `B`\nhint: it has none");
}

std::string include_error(const std::string& code, const std::string& level = "") {
  return error_in(level + "\nlaunch k<<<1, 1>>>(x, y)", {}, code);
}

TEST(Candidate, MayIncludeWhatItsLevelAllows) {
  EXPECT_EQ(include_error("#include <cuda_fp16.h>\n# include \"cub/cub.cuh\"\n"), "no error");
  EXPECT_EQ(include_error("// #include <cute/tensor.hpp>\n/* #include <cutlass/x.h>\n*/"),
            "no error");
  EXPECT_EQ(include_error("const char* s = R\"(\n#include <cute/tensor.hpp>\n)\";"), "no error");
  EXPECT_EQ(include_error("#include <cute/tensor.hpp>\n", "level cute"), "no error");
  EXPECT_EQ(include_error("#include <cutlass/gemm.h>\n", "level cutlass"), "no error");
  EXPECT_EQ(include_error("#include <cute/tensor.hpp>\n", "level cutlass"), "no error");
}

TEST(Candidate, MayNotIncludeMoreThanItsLevelAllows) {
  const std::string cute =
      "k.cu:5:1: `cute/tensor.hpp` needs level cute, the plan says level raw\nhint: write `level "
      "cute` in the plan if the task is to allow it";
  EXPECT_EQ(include_error("#include <cute/tensor.hpp>\n"), cute);
  EXPECT_EQ(include_error("%:include <cute/tensor.hpp>\n"), cute);
  EXPECT_EQ(include_error("#inc\\\nlude <cute/tensor.hpp>\n"), cute);
  EXPECT_EQ(include_error("#include /* here */ <cute/tensor.hpp>\n"), cute);
  EXPECT_EQ(include_error("int a;\n  #  include \"./cutlass/x.h\"\n", "level cute"),
            "k.cu:6:3: `./cutlass/x.h` needs level cutlass, the plan says level cute\nhint: write "
            "`level cutlass` in the plan if the task is to allow it");
}

TEST(Candidate, MayNotIncludeFromOutsideTheIncludeFolders) {
  const std::string hint =
      "\nhint: include CUDA headers by their name, such as <cuda_fp16.h> or <cub/cub.cuh>";
  EXPECT_EQ(include_error("#include \"/etc/passwd\"\n"),
            "k.cu:5:1: `/etc/passwd` leaves the include folders" + hint);
  EXPECT_EQ(include_error("#include <cub/../../x.h>\n"),
            "k.cu:5:1: `cub/../../x.h` leaves the include folders" + hint);
  EXPECT_EQ(include_error("#define H <x.h>\n#include H\n"),
            "k.cu:6:1: an include whose header is not written literally\nhint: write `#include "
            "<header>`");
}

}  // namespace
}  // namespace kp::task
