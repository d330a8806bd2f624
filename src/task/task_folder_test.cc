// SPDX-License-Identifier: Apache-2.0
// Task folders and single files on disk, the shipped ones included.
#include <gtest/gtest.h>

#include "task/task.h"

namespace kp::task {
namespace {

const char* const kDefinition = R"json({
  "name": "scale",
  "description": "y = a * x",
  "op_type": "elementwise",
  "axes": {"rows": {"type": "var"}, "cols": {"type": "const", "value": 8},
           "size": {"type": "expr", "expression": "rows * cols // 2"}},
  "constraints": ["rows > 0", "q.shape[0] == 3"],
  "inputs": {"x": {"shape": ["rows", "cols"], "dtype": "float16"},
             "w": {"shape": ["cols"], "dtype": "bfloat16"},
             "index": {"shape": ["rows"], "dtype": "int32"},
             "a": {"shape": null, "dtype": "float32"},
             "acc": {"shape": ["rows"], "dtype": "float32"}},
  "outputs": {"y": {"shape": ["rows", "cols"], "dtype": "float32"},
              "acc": {"shape": ["rows"], "dtype": "float32"},
              "total": {"shape": null, "dtype": "float32"}},
  "reference": "def run(): pass",
  "kernelpro": {"precision": "f32",
                "work": {"flops": "2 * size", "bytes": 64, "contraction": true},
                "tensors": {"w": {"role": "weight"},
                            "index": {"distribution": "int(0, rows - 1)"}}}
})json";
const char* const kWorkloads =
    R"json({"uuid": "small", "role": "check", "axes": {"rows": 4}, "inputs": {"a": {"type": "scalar", "value": 2.5}}}
{"definition": "scale", "workload": {"uuid": "large", "axes": {"rows": 64}, "inputs": {"a": {"type": "scalar", "value": true}, "x": {"type": "random", "distribution": "uniform(0, 1)"}}}, "solution": null}
)json";

/// A task folder in the making; each file can be replaced before it is read.
class TaskFolder {
 public:
  TaskFolder() : folder_(TemporaryFolder::make().value()) {
    write("definition.json", kDefinition);
    write("workload.jsonl", kWorkloads);
    write("reference.cc", "");
  }
  void write(const char* name, std::string_view text) {
    ASSERT_TRUE(write_file(folder_.path() / name, text));
  }
  void remove(const char* name) { std::filesystem::remove(folder_.path() / name); }
  Result<Task> read() const { return read_task(folder_.path()); }
  Path path() const { return folder_.path(); }
  /// The error's text with the folder's path cut out.
  std::string error() const {
    const auto task = read();
    if (task) return "no error";
    std::string text = task.error().text();
    const std::string prefix = folder_.path().string() + "/";
    for (std::size_t at; (at = text.find(prefix)) != std::string::npos;) {
      text.erase(at, prefix.size());
    }
    return text;
  }

 private:
  TemporaryFolder folder_;
};

TEST(TaskFolder, IsReadInTheSharedSchema) {
  const TaskFolder folder;
  const auto task = folder.read();
  ASSERT_TRUE(task) << task.error().text();
  EXPECT_EQ(task->name, "scale");
  EXPECT_EQ(task->description, "y = a * x");
  EXPECT_FALSE(task->baseline);
  EXPECT_EQ(task->oracle.kind, Oracle::Kind::kHost);
  EXPECT_EQ(task->oracle.source, folder.path() / "reference.cc");
  const Declaration& declaration = task->declaration;
  EXPECT_EQ(declaration.axes, (std::vector<std::string>{"rows", "cols", "size"}));
  std::vector<std::string> names;
  for (const Tensor& tensor : declaration.tensors) names.push_back(tensor.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "w", "index", "a", "acc", "y", "total"}));
  EXPECT_EQ(declaration.find("w")->role, TensorRole::kWeight);
  EXPECT_EQ(declaration.find("acc")->role, TensorRole::kInOut);
  EXPECT_TRUE(declaration.find("a")->shape.empty());
  EXPECT_EQ(declaration.find("total")->shape, std::vector<Expr>{Expr(1)});
  EXPECT_EQ(declaration.precision, Precision::kF32);
  EXPECT_TRUE(declaration.work.contraction);
  EXPECT_EQ(compulsory_bytes(declaration, {}).value(), 64);
}

TEST(TaskFolder, GivesWorkloadsTheirAxesValuesAndRoles) {
  const auto task = TaskFolder().read();
  ASSERT_TRUE(task) << task.error().text();
  ASSERT_EQ(task->workloads.size(), 2u);
  const Workload& small = task->workloads[0];
  EXPECT_EQ(small.name, "small");
  EXPECT_EQ(small.role, WorkloadRole::kCheck);
  EXPECT_EQ(small.axes, (Bindings{{"rows", 4}, {"cols", 8}, {"size", 16}}));
  EXPECT_EQ(small.scalars.at("a"), 2.5);
  EXPECT_EQ(small.distributions.at("index").high, 3);
  const Workload& large = task->workloads[1];
  EXPECT_EQ(large.role, WorkloadRole::kTime);
  EXPECT_EQ(large.scalars.at("a"), 1);
  EXPECT_EQ(large.distributions.at("x").kind, Distribution::Kind::kUniform);
  EXPECT_EQ(declared_flops(task->declaration, large.axes).value(), 512);
}

TEST(TaskFolder, ChecksTheSmallestWorkloadWhenNoneHasARole) {
  TaskFolder folder;
  folder.write(
      "workload.jsonl",
      R"({"uuid": "b", "axes": {"rows": 9}, "inputs": {"a": {"type": "scalar", "value": 1}}}

{"uuid": "s", "axes": {"rows": 3}, "inputs": {"a": {"type": "scalar", "value": 1}}}
)");
  const auto task = folder.read();
  ASSERT_TRUE(task) << task.error().text();
  ASSERT_EQ(task->workloads.size(), 3u);
  EXPECT_EQ(task->with_role(WorkloadRole::kTime).size(), 2u);
  ASSERT_EQ(task->with_role(WorkloadRole::kCheck).size(), 1u);
  EXPECT_EQ(task->with_role(WorkloadRole::kCheck)[0]->name, "check:s");
}

TEST(TaskFolder, NeedsAReference) {
  TaskFolder folder;
  folder.remove("reference.cc");
  EXPECT_EQ(folder.error(),
            "task `scale` has no reference: reference.cc does not exist\nhint: define "
            "kernelpro_reference there (docs/task.md has its signature), or give baseline.cu an "
            "`oracle launch`");
  folder.write(
      "baseline.cu",
      "/* kernelpro\nlaunch k<<<1, 1>>>(x, acc, y, total)\noracle launch k<<<1, 1>>>(x, y)\n*/");
  const auto task = folder.read();
  ASSERT_TRUE(task) << task.error().text();
  EXPECT_EQ(task->oracle.kind, Oracle::Kind::kKernels);
}

TEST(TaskFolder, NeedsItsTwoFiles) {
  TaskFolder folder;
  folder.remove("workload.jsonl");
  EXPECT_EQ(folder.error(),
            "workload.jsonl does not exist\nhint: each line gives the axes one value: {\"uuid\": "
            "\"a\", \"axes\": {\"n\": 67}}");
  folder.remove("definition.json");
  EXPECT_EQ(folder.error(),
            "definition.json does not exist\nhint: a task folder has definition.json and "
            "workload.jsonl; see docs/task.md");
}

TEST(TaskFolder, ReportsTheFaultsOfItsBaseline) {
  TaskFolder folder;
  folder.write("baseline.cu", "/* kernelpro\nlaunch k<<<1, 1>>>(x, acc, y, totl)\n*/");
  EXPECT_EQ(folder.error(),
            "baseline.cu:2:31: unknown argument `totl`\nhint: did you mean `total`?");
  folder.write("baseline.cu",
               "/* kernelpro\naxis n = 3\noutput y : f32[n]\nlaunch k<<<1, 1>>>(y)\n*/");
  EXPECT_EQ(
      folder.error(),
      "baseline.cu:2:1: `axis n = 3`: a candidate may not redeclare the task\nhint: remove the "
      "line; the task `scale` declares axes, inputs, outputs and work");
}

struct Edit {
  const char* from;
  const char* to;
  const char* text;
};

std::string replaced(std::string text, const Edit& edit) {
  const std::size_t at = text.find(edit.from);
  EXPECT_NE(at, std::string::npos) << edit.from;
  return text.replace(at, std::string_view(edit.from).size(), edit.to);
}

TEST(TaskFolder, ReportsFaultsOfTheDefinition) {
  const Edit edits[] = {
      {"\"axes\": {\"rows\"", "\"axes\" {\"rows\"",
       "definition.json:5:10: not valid JSON at byte 88\nhint: look for a missing comma, quote or "
       "bracket just before"},
      {"\"name\": \"scale\",", "", "definition.json: `name` is missing"},
      {"\"axes\"", "\"axis\"", "definition.json: `axes` is missing"},
      {"\"value\": 8", "\"value\": 0",
       "definition.json: `axes.cols.value` is not a positive integer"},
      {"\"var\"", "\"vra\"",
       "definition.json: `axes.rows.type` is \"vra\"\nhint: did you mean `var`?"},
      {"\"rows * cols // 2\"", "\"rows ** 2\"",
       "definition.json: `axes.size.expression` cannot be read: expected an operator, found `**`"},
      {"\"float16\"", "\"float4_e2m1\"",
       "definition.json: `inputs.x.dtype` \"float4_e2m1\" is not supported\nhint: float64 to "
       "float8, "
       "int8 to int64, uint8 to uint64, and bool are"},
      {"[\"rows\", \"cols\"], \"dtype\": \"float16\"",
       "[\"rows\", \"clos\"], \"dtype\": \"float16\"",
       "definition.json: unknown name `clos` in `clos`\nhint: did you mean `cols`?"},
      {"\"precision\"", "\"precisoin\"",
       "definition.json: `kernelpro.precisoin` is unknown\nhint: did you mean `precision`?"},
      {"\"precision\": \"f32\"", "\"precision\": \"f33\"",
       "definition.json: `kernelpro.precision` is \"f33\"\nhint: one of f64, f32, tf32, f16, bf16, "
       "fp8"},
      {"\"role\": \"weight\"", "\"role\": \"wait\"",
       "definition.json: `kernelpro.tensors.w.role` is \"wait\"\nhint: one of weight, inout"},
      {"\"acc\": {\"shape\": [\"rows\"], \"dtype\": \"float32\"}},",
       "\"acc\": {\"shape\": [\"cols\"], \"dtype\": \"float32\"}},",
       "definition.json: `outputs.acc` differs from the input of that name"},
      {"\"index\": {\"distribution\"", "\"idx\": {\"distribution\"",
       "definition.json: `kernelpro.tensors.idx` is unknown\nhint: one of x, w, index, a, acc, y, "
       "total"},
  };
  for (const Edit& edit : edits) {
    TaskFolder folder;
    folder.write("definition.json", replaced(kDefinition, edit));
    EXPECT_EQ(folder.error(), edit.text);
  }
}

TEST(TaskFolder, ReportsFaultsOfTheWorkloads) {
  const Edit edits[] = {
      {"\"axes\": {\"rows\": 4}", "\"axes\": {\"rows\" 4}",
       "workload.jsonl:1:52: not valid JSON at byte 51\nhint: look for a missing comma, quote or "
       "bracket just before"},
      {"\"rows\": 4", "\"row\": 4",
       "workload.jsonl:1: `axes.row` is not an axis of the definition\nhint: did you mean `rows`?"},
      {"\"rows\": 4", "",
       "workload.jsonl:1: `axes.rows` is missing\nhint: give every `var` axis a value"},
      {"\"rows\": 4", "\"rows\": 0", "workload.jsonl:1: `axes.rows` is not a positive integer"},
      {"\"check\"", "\"chekc\"", "workload.jsonl:1: `role` is neither \"check\" nor \"time\""},
      {"\"uuid\": \"large\"", "\"uuid\": \"small\"",
       "workload.jsonl:2: workload `small` stands twice\nhint: give every line a uuid of its own"},
      {"\"type\": \"random\", \"distribution\": \"uniform(0, 1)\"",
       "\"type\": \"safetensors\", \"path\": \"p\", \"tensor_key\": \"k\"",
       "workload.jsonl:2: `inputs.x.type` \"safetensors\" is not supported\nhint: inputs are "
       "random "
       "or scalar; a random input may have a distribution"},
      {"uniform(0, 1)", "gauss",
       "workload.jsonl:2: `distribution of x` `gauss` is not a "
       "distribution\nhint: one of normal, uniform, int"},
      {"\"a\": {\"type\": \"scalar\", \"value\": 2.5}", "",
       "workload.jsonl:1: `inputs.a` is a scalar without a value\nhint: write {\"type\": "
       "\"scalar\", "
       "\"value\": 1}"},
      {"\"a\": {\"type\": \"scalar\", \"value\": 2.5}", "\"a\": {\"type\": \"scalar\"}",
       "workload.jsonl:1: `inputs.a.value` is not a number"},
      {"\"a\": {\"type\": \"scalar\", \"value\": 2.5}", "\"b\": {\"type\": \"random\"}",
       "workload.jsonl:1: `inputs.b` is not an input of the definition"},
      {"\"axes\": {\"rows\": 64}", "\"role\": \"check\", \"axes\": {\"rows\": 64}",
       "workload.jsonl: no workload has the role \"time\"\nhint: leave the role out of at least "
       "one "
       "line, or write \"role\": \"time\""},
  };
  for (const Edit& edit : edits) {
    TaskFolder folder;
    folder.write("workload.jsonl", replaced(kWorkloads, edit));
    EXPECT_EQ(folder.error(), edit.text);
  }
  TaskFolder folder;
  folder.write("workload.jsonl", "\n");
  EXPECT_EQ(
      folder.error(),
      "workload.jsonl: no workload\nhint: each line is one: {\"uuid\": \"a\", \"axes\": {\"n\": "
      "67}}");
}

TEST(TaskFolder, ChecksConstraintsThatSpeakOfAxes) {
  TaskFolder folder;
  folder.write("definition.json", replaced(kDefinition, {"rows > 0", "rows > 5", ""}));
  EXPECT_EQ(folder.error(), "workload.jsonl:1: `axes` breaks the constraint `rows > 5`");
}

TEST(TaskFolder, RefusesTextThatIsNotText) {
  TaskFolder folder;
  folder.write("definition.json", std::string("{\0}", 3));
  const auto task = folder.read();
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().code, ErrorCode::kInvalidInput);
}

constexpr const char* kSingle = R"(/* kernelpro
axis n = 8192
input x : f32[n]
output y : f32[n]
launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void k(const float* x, float* y, int n);
)";

TEST(SingleFile, IsItsOwnBaseline) {
  TaskFolder folder;
  folder.remove("reference.cc");
  folder.write("blur.cu", kSingle);
  const auto task = read_task(folder.path() / "blur.cu");
  ASSERT_TRUE(task) << task.error().text();
  EXPECT_EQ(task->name, "blur");
  EXPECT_EQ(task->baseline, kSingle);
  EXPECT_EQ(task->oracle.kind, Oracle::Kind::kSelf);
  EXPECT_EQ(task->with_role(WorkloadRole::kCheck).size(), 1u);
}

TEST(SingleFile, PrefersAHostReferenceThenOracleKernels) {
  TaskFolder folder;
  folder.remove("reference.cc");
  std::string source = kSingle;
  source.insert(source.find("*/"), "oracle launch k<<<1, 1>>>(x, y, n)\n");
  folder.write("blur.cu", source);
  const auto kind = [&] { return read_task(folder.path() / "blur.cu")->oracle; };
  EXPECT_EQ(kind().kind, Oracle::Kind::kKernels);
  folder.write("reference.cc", "");
  EXPECT_EQ(kind().kind, Oracle::Kind::kHost);
  folder.write("blur.reference.cc", "");
  EXPECT_EQ(kind().source, folder.path() / "blur.reference.cc");
}

TEST(SingleFile, LetsCandidatesRepeatItsDeclarationUnchanged) {
  TaskFolder folder;
  folder.write("blur.cu", kSingle);
  const auto task = read_task(folder.path() / "blur.cu");
  ASSERT_TRUE(task) << task.error().text();
  const auto error = [&](const std::string& body) {
    const auto made = make_candidate(*task, "/* kernelpro\n" + body + "\n*/", "c.cu");
    return made ? "no error" : made.error().text();
  };
  const std::string launch = "launch k<<<1, 32>>>(x, y, n)";
  EXPECT_EQ(error("axis n=8192\ninput x : f32 [n]\noutput y : f32[n] // same\n" + launch),
            "no error");
  EXPECT_EQ(error(launch), "no error");
  EXPECT_EQ(
      error("axis n = 64\ninput x : f32[n]\noutput y : f32[n]\n" + launch),
      "c.cu:2:1: `axis n = 64` differs from the task's declaration\nhint: a candidate repeats "
      "the task's lines as they are: `axis n = 8192`");
  EXPECT_EQ(
      error("axis n = 8192\ninput x : f32[n]\noutput y : f32[n]\nwork flops = 0\n" + launch),
      "c.cu:5:1: `work flops = 0` is not in the task's declaration\nhint: remove it; a candidate "
      "cannot change what is computed");
  EXPECT_EQ(error("axis n = 8192\ninout x : f32[n]\n" + launch),
            "c.cu:3:1: `inout x : f32[n]` differs from the task's declaration\nhint: a candidate "
            "repeats the task's lines as they are: `input x : f32[n]`");
  EXPECT_EQ(
      error("axis n = 8192\n" + launch),
      "c.cu:1:1: the task has no output\nhint: declare what it computes: `output y : f32[n]`, "
      "or inout");
}

TEST(SingleFile, NeedsADeclaration) {
  TaskFolder folder;
  folder.write("k.cu", "/* kernelpro\nlaunch k<<<1, 1>>>(x)\n*/");
  const auto task = read_task(folder.path() / "k.cu");
  ASSERT_FALSE(task);
  EXPECT_EQ(task.error().message, "the plan declares no task");
  EXPECT_EQ(task.error().spot.line, 1);
}

TEST(ReadTask, SaysWhatIsNoTask) {
  TaskFolder folder;
  EXPECT_EQ(
      read_task("/nowhere/at/all").error().text(),
      "no task at /nowhere/at/all\nhint: give a folder with definition.json, or a .cu file whose "
      "plan declares a task");
  folder.write("p.py", "");
  EXPECT_EQ(read_task(folder.path() / "p.py").error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(read_task(folder.path() / "reference.cc").error().code, ErrorCode::kInvalidInput);
}

TEST(ShippedTasks, AreReadAndHaveOddCheckSizes) {
  const Path root = Path(KP_SOURCE_DIR) / "tasks";
  for (const char* name : {"transpose", "swish", "dequant", "softmax", "smooth.cu"}) {
    const auto task = read_task(root / name);
    ASSERT_TRUE(task) << task.error().text();
    EXPECT_TRUE(task->baseline) << name;
    EXPECT_EQ(task->oracle.kind, Oracle::Kind::kHost) << name;
    EXPECT_FALSE(task->with_role(WorkloadRole::kTime).empty()) << name;
    bool odd = false;
    for (const Workload* workload : task->with_role(WorkloadRole::kCheck)) {
      for (const auto& [axis, value] : workload->axes) odd |= value % 2 == 1;
    }
    EXPECT_TRUE(odd) << name;
    const Bindings& axes = task->with_role(WorkloadRole::kTime)[0]->axes;
    EXPECT_TRUE(declared_flops(task->declaration, axes).value()) << name;
    Declaration without_work = task->declaration;
    without_work.work.bytes.reset();
    EXPECT_EQ(compulsory_bytes(task->declaration, axes).value(),
              compulsory_bytes(without_work, axes).value())
        << name;
  }
}

}  // namespace
}  // namespace kp::task
