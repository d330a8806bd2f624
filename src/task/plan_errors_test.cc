// SPDX-License-Identifier: Apache-2.0
// Every error of the grammar, with its place and its hint. The table in docs/candidate.md lists
// them.
#include <gtest/gtest.h>

#include "task/task.h"

namespace kp::task {
namespace {

std::string error_of(const std::string& source) {
  const auto result = parse_plan(source, "k.cu");
  return result ? "no error" : result.error().text();
}

/// A plan whose statements start in line 2.
std::string error_of_statements(const std::string& body) {
  return error_of("/* kernelpro\n" + body + "\n*/\n");
}

struct ErrorCase {
  const char* name;
  const char* body;
  const char* text;
};

void PrintTo(const ErrorCase& example, std::ostream* out) { *out << example.name; }

std::string name_of_error_case(const testing::TestParamInfo<ErrorCase>& example) {
  return example.param.name;
}

class PlanErrors : public testing::TestWithParam<ErrorCase> {};

/// What was expected and not found has the grammar as its hint, which the cases leave out.
std::string with_default_hint(std::string text) {
  const bool hinted = text.find("\nhint:") != std::string::npos;
  if (!hinted && text.find(": expected ") != std::string::npos) {
    text += "\nhint: docs/candidate.md has the grammar";
  }
  return text;
}

TEST_P(PlanErrors, SayWhatWhereAndWhatToDo) {
  EXPECT_EQ(error_of_statements(GetParam().body), with_default_hint(GetParam().text))
      << GetParam().body;
}

const ErrorCase kSyntaxErrors[] = {
    {"UnknownStatement", "lanch k<<<1, 1>>>()",
     "k.cu:2:1: unknown statement `lanch`\nhint: did you mean `launch`?"},
    {"StrangeStatement", "banana",
     "k.cu:2:1: unknown statement `banana`\nhint: the statements are axis, check, time, input, "
     "output, inout, weight, work, precision, level, tune, buffer, tensormap, prepare, launch, "
     "zero, "
     "oracle"},
    {"NoStatement", "<<<", "k.cu:2:1: expected a statement, found `<<<`"},
    {"Rest", "zero a b", "k.cu:2:8: expected the end of the `zero` statement, found `b`"},
    {"Character", "zero @",
     "k.cu:2:6: unexpected character `@`\nhint: a plan is plain ASCII; docs/candidate.md has its "
     "grammar"},
    {"Byte", "zero \x01",
     "k.cu:2:6: unexpected character with code 0x01\nhint: a plan is plain ASCII; "
     "docs/candidate.md "
     "has its grammar"},
    {"HugeInteger", "launch k<<<9223372036854775808, 1>>>()",
     "k.cu:2:12: integer `9223372036854775808` does not fit 64 bits"},
    {"BadNumber", "launch k<<<12abc, 1>>>()", "k.cu:2:12: `12abc` is not a number"},
    {"RealInExpression", "launch k<<<1.5, 1>>>()",
     "k.cu:2:12: `1.5` is not an integer\nhint: expressions of a plan are 64-bit integer "
     "arithmetic"},
    {"UnknownFunction", "launch k<<<ceildiv(4, 2), 1>>>()",
     "k.cu:2:12: unknown function `ceildiv`\nhint: did you mean `ceil_div`?"},
    {"StrangeFunction", "launch k<<<log2(4), 1>>>()",
     "k.cu:2:12: unknown function `log2`\nhint: the functions are ceil_div(a, b), min(a, b), "
     "max(a, "
     "b)"},
    {"OneArgument", "launch k<<<min(4), 1>>>()",
     "k.cu:2:17: expected `,` after the first argument of `min`, found `)`"},
    {"ThreeArguments", "launch k<<<ceil_div(4, 2, 1), 1>>>()",
     "k.cu:2:25: expected `)` after the arguments of `ceil_div`, found `,`"},
    {"MissingOperand", "launch k<<<1 + , 1>>>()",
     "k.cu:2:16: expected a number, a name or `(`, found `,`"},
    {"OpenBracket", "launch k<<<(1 + 2, 1>>>()",
     "k.cu:2:21: expected `)` after the dimensions, found `>>>`"},
    {"NothingLaunched", "zero a\ntune B in 1, 2",
     "k.cu:1:1: the plan launches nothing\nhint: add `launch kernel<<<grid, block>>>(arguments)`"},
};
INSTANTIATE_TEST_SUITE_P(Syntax, PlanErrors, testing::ValuesIn(kSyntaxErrors), name_of_error_case);

const ErrorCase kLaunchErrors[] = {
    {"NoKernel", "launch <<<1, 1>>>()", "k.cu:2:8: expected the name of a kernel, found `<<<`"},
    {"NoConfiguration", "launch k(x)", "k.cu:2:9: expected `<<<` after the kernel, found `(`"},
    {"NoBlock", "launch k<<<1>>>(x)", "k.cu:2:13: expected `,` after the grid, found `>>>`"},
    {"Stream", "launch k<<<1, 1, 0, stream>>>(x)",
     "k.cu:2:21: expected `0`, found `stream`\nhint: the stream belongs to the harness; leave it "
     "out "
     "or write 0"},
    {"FiveValues", "launch k<<<1, 1, 0, 0, 0>>>(x)",
     "k.cu:2:22: expected `>>>` after the launch configuration, found `,`"},
    {"FourDimensions", "launch k<<<(1, 2, 3, 4), 1>>>(x)",
     "k.cu:2:20: expected `)` after the dimensions, found `,`"},
    {"NoArguments", "launch k<<<1, 1>>>",
     "k.cu:2:19: expected `(` after `>>>`, found the end of the line"},
    {"OpenArguments", "launch k<<<1, 1>>>(x",
     "k.cu:3:1: expected `)` after the arguments, found the end of the text"},
    {"UnknownModifier", "launch k<<<1, 1>>>(x) cooperativ",
     "k.cu:2:23: `cooperativ` is not a modifier of a launch\nhint: did you mean `cooperative`?"},
    {"ModifierTwice", "launch k<<<1, 1>>>(x) cooperative cooperative",
     "k.cu:2:35: `cooperative` stands twice"},
    {"NoCluster", "launch k<<<1, 1>>>(x) cluster",
     "k.cu:2:30: expected `(` after the dimensions, found the end of the line"},
    {"PrepareWhat", "prepare buffer",
     "k.cu:2:9: `buffer` is not a step after `prepare`\nhint: one of launch, zero"},
    {"OracleWhat", "oracle 3", "k.cu:2:8: expected a step after `oracle`, found `3`"},
    {"ZeroWhat", "zero", "k.cu:2:5: expected the name of a buffer, found the end of the line"},
};
INSTANTIATE_TEST_SUITE_P(Launches, PlanErrors, testing::ValuesIn(kLaunchErrors),
                         name_of_error_case);

const ErrorCase kPartErrors[] = {
    {"UnknownType", "buffer b : f23[4]",
     "k.cu:2:12: unknown element type `f23`\nhint: did you mean `f32`?"},
    {"StrangeType", "buffer b : number[4]",
     "k.cu:2:12: unknown element type `number`\nhint: the types are f64, f32, f16, bf16, f8e4m3, "
     "f8e5m2, i64, i32, i16, i8, u64, u32, u16, u8, bool"},
    {"NoType", "buffer b[4]", "k.cu:2:9: expected `:` after the name, found `[`"},
    {"NoSize", "buffer b : f32",
     "k.cu:2:15: expected `[` and the size of the buffer, found the end of the line"},
    {"OpenShape", "buffer b : f32[4",
     "k.cu:3:1: expected `]` after the dimensions, found the end of the text"},
    {"NineDimensions", "buffer b : f32[1, 1, 1, 1, 1, 1, 1, 1, 1]",
     "k.cu:2:40: more than 8 dimensions"},
    {"FilledBuffer", "buffer b : f32[4] = 1",
     "k.cu:2:21: expected `0`, found `1`\nhint: a buffer can be zeroed, not filled with another "
     "value"},
    {"NameTwice", "buffer b : f32[4]\ntune b in 1, 2",
     "k.cu:3:6: `b` is already a buffer, line 2\nhint: axes, tensors, buffers, tensor maps and "
     "tune "
     "parameters share one set of names"},
    {"NoTuneValues", "tune B",
     "k.cu:2:7: expected `in` after the tune parameter, found the end of the line"},
    {"TuneName", "tune B in x", "k.cu:2:11: expected an integer, found `x`"},
    {"TuneTwice", "tune B in 1, 2, 1", "k.cu:2:17: 1 stands twice"},
    {"Level", "level cutlas", "k.cu:2:7: `cutlas` is not a level\nhint: did you mean `cutlass`?"},
    {"LevelTwice", "level raw\nlevel raw",
     "k.cu:3:7: a second `level` statement\nhint: the first stands in line 2; a plan has one"},
    {"Precision", "precision f42",
     "k.cu:2:11: `f42` is not a precision class\nhint: did you mean `f32`?"},
    {"StrangePrecision", "precision exact",
     "k.cu:2:11: `exact` is not a precision class\nhint: one of f64, f32, tf32, f16, bf16, fp8"},
    {"PrecisionTwice", "precision f32\nprecision f32",
     "k.cu:3:11: a second `precision` statement\nhint: the first stands in line 2; a plan has one"},
    {"MapWithoutBox", "tensormap t = x(64)",
     "k.cu:2:16: expected `box` after the tensor, found `(`"},
    {"MapRank", "tensormap t = x box(1, 1, 1, 1, 1, 1)",
     "k.cu:2:36: more than 5 dimensions\nhint: TMA moves boxes of at most 5 dimensions"},
    {"Swizzle", "tensormap t = x box(8) swizzle 256B",
     "k.cu:2:32: `256B` is not a swizzle\nhint: one of none, 32B, 64B, 128B"},
};
INSTANTIATE_TEST_SUITE_P(Parts, PlanErrors, testing::ValuesIn(kPartErrors), name_of_error_case);

#define KP_RUN "\nlaunch k<<<1, 1>>>(x, y)"
#define KP_TASK "axis n = 8\ninput x : f32[n]\noutput y : f32[n]\n"

const ErrorCase kDeclarationErrors[] = {
    {"UnknownAxis", "axis cols = 8\ninput x : f32[colz]\noutput y : f32[cols]" KP_RUN,
     "k.cu:3:7: unknown name `colz` in `colz`\nhint: did you mean `cols`?"},
    {"NoAxis", "input x : f32[n]\noutput y : f32[4]" KP_RUN,
     "k.cu:2:7: unknown name `n` in `n`\nhint: no axis is declared before"},
    {"AxisBefore", "axis a = b, b = 8\noutput y : f32[a]" KP_RUN,
     "k.cu:2:6: unknown name `b` in `b`\nhint: no axis is declared before"},
    {"AxisZero", "axis n = 0\noutput y : f32[n]" KP_RUN,
     "k.cu:2:6: axis `n` is 0\nhint: an axis is at least 1"},
    {"AxisTwice", "axis n = 8, n = 9",
     "k.cu:2:13: `n` is already an axis, line 2\nhint: axes, tensors, buffers, tensor maps and "
     "tune "
     "parameters share one set of names"},
    {"NoOutput", "axis n = 8\ninput x : f32[n]" KP_RUN,
     "k.cu:1:1: the task has no output\nhint: declare what it computes: `output y : f32[n]`, or "
     "inout"},
    {"ScalarWithoutValue", "input eps : f32",
     "k.cu:2:7: scalar `eps` has no value\nhint: write `input eps : f32 = 1`, or give it a "
     "[shape]"},
    {"ScalarOutput", "output y : f32",
     "k.cu:2:8: output `y` needs a shape\nhint: write `y : f32[1]` for a single element"},
    {"ArrayWithValue", "input x : f32[4] = 2",
     "k.cu:2:7: array `x` cannot take one value\nhint: `= value` is for scalars, which have no "
     "[shape]"},
    {"ScalarRange", "input k : u8 = 300", "k.cu:2:7: `k` = 300 is not a value of u8"},
    {"ScalarFraction", "input k : i32 = 0.5", "k.cu:2:7: `k` = 0.5 is not a value of i32"},
    {"OutputDistribution", "output y : f32[4] ~ normal",
     "k.cu:2:19: `y` cannot have a distribution\nhint: outputs are computed; use inout for an "
     "array "
     "that is read and written"},
    {"ScalarDistribution", "input e : f32 ~ normal",
     "k.cu:2:15: `e` cannot have a distribution\nhint: a scalar takes a value: `= 1e-5`"},
    {"UnknownDistribution", "input x : f32[4] ~ gauss",
     "k.cu:2:20: `gauss` is not a distribution\nhint: one of normal, uniform, int"},
    {"NormalIntegers", "input x : u8[4] ~ normal",
     "k.cu:2:19: `normal` cannot fill u8 elements\nhint: use int(low, high) for integer types"},
    {"EmptyUniform", "input x : f32[4] ~ uniform(1, 1)",
     "k.cu:2:27: uniform(1, 1) is empty\nhint: the lower bound must be below the upper one"},
    {"EmptyInt", "input x : u8[4] ~ int(5, 4)\noutput y : f32[4]" KP_RUN,
     "k.cu:2:22: int(5, 4) is empty\nhint: both bounds are inclusive; the lower one must not "
     "exceed "
     "the upper one"},
    {"IntRange", "input x : u8[4] ~ int(0, 256)\noutput y : f32[4]" KP_RUN,
     "k.cu:2:22: int(0, 256) does not fit u8\nhint: u8 takes 0 to 255"},
    {"IntBeyondDouble", "input x : i64[4] ~ int(0, 9007199254740993)\noutput y : f32[4]" KP_RUN,
     "k.cu:2:23: int(0, 9007199254740993) does not fit i64\nhint: i64 takes -9007199254740992 to "
     "9007199254740992"},
    {"CheckUnknownAxis", KP_TASK "check m = 4" KP_RUN,
     "k.cu:5:7: unknown axis `m`\nhint: declare it with `axis`"},
    {"CheckZero", KP_TASK "check n = 0" KP_RUN,
     "k.cu:5:7: axis `n` is 0\nhint: an axis is at least 1"},
    {"CheckTwice", KP_TASK "check n = 4, n = 5" KP_RUN, "k.cu:5:14: axis `n` stands twice"},
    {"CheckAgain", KP_TASK "check n = 4\ncheck n = 4" KP_RUN,
     "k.cu:6:7: workload `n=4` stands twice"},
    {"TimeAgain", KP_TASK "time n = 8" KP_RUN, "k.cu:5:6: workload `n=8` stands twice"},
    {"WorkFigure", KP_TASK "work flop = 4" KP_RUN,
     "k.cu:5:6: `flop` is not a figure of `work`\nhint: did you mean `flops`?"},
    {"WorkTwice", KP_TASK "work flops = 4, flops = 5" KP_RUN, "k.cu:5:17: `flops` stands twice"},
    {"WorkStatementTwice", KP_TASK "work flops = 4\nwork bytes = 5" KP_RUN,
     "k.cu:6:6: a second `work` statement\nhint: the first stands in line 5; a plan has one"},
    {"WorkName", KP_TASK "work flops = 4 * m" KP_RUN,
     "k.cu:1:1: unknown name `m` in `4 * m`\nhint: the names known here are n"},
    {"NegativeWork", KP_TASK "work flops = 1 - n" KP_RUN,
     "k.cu:1:1: workload n=8: work flops = `1 - n` is -7\nhint: work is a count; it cannot be "
     "negative"},
    {"HugeArray", "axis n = 2000000\ninput x : f32[n, n]\noutput y : f32[n]" KP_RUN,
     "k.cu:3:7: workload n=2000000: `x`: an array has more than 2^40 elements\nhint: use smaller "
     "axis "
     "values"},
    {"EmptyArray", "axis n = 8\ninput x : f32[n - 8]\noutput y : f32[n]" KP_RUN,
     "k.cu:3:7: workload n=8: `x`: dimension `n - 8` is 0\nhint: every dimension of an array must "
     "be "
     "at least 1"},
};
INSTANTIATE_TEST_SUITE_P(Declarations, PlanErrors, testing::ValuesIn(kDeclarationErrors),
                         name_of_error_case);

TEST(PlanComment, MustExist) {
  EXPECT_EQ(
      error_of("__global__ void k() {}"),
      "k.cu: no plan: no block comment starts with `kernelpro`\nhint: `kernelpro init FILE.cu` "
      "drafts one; docs/candidate.md has the grammar");
}

TEST(PlanComment, MustBeClosed) {
  EXPECT_EQ(error_of("int a;\n/* kernelpro\nlaunch"),
            "k.cu:2:1: the plan comment is not closed\nhint: end it with `*/`");
}

TEST(PlanComment, StandsOnce) {
  EXPECT_EQ(
      error_of("/* kernelpro */\n\n  /* kernelpro */"),
      "k.cu:3:3: a second plan comment\nhint: the first stands in line 1; a candidate has one "
      "plan");
}

TEST(PlanLimits, NestingOfExpressions) {
  const std::string deep(70, '(');
  EXPECT_EQ(
      error_of_statements("launch k<<<" + deep + "1, 1>>>()"),
      "k.cu:2:76: expression is nested deeper than 64\nhint: split it with an axis or simplify "
      "it");
  EXPECT_EQ(
      error_of_statements("launch k<<<1, " + std::string(70, '-') + "1>>>()"),
      "k.cu:2:79: expression is nested deeper than 64\nhint: split it with an axis or simplify "
      "it");
}

std::string repeated(std::size_t times, const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(PlanLimits, LengthOfExpressionsNamesListsAndPlans) {
  EXPECT_EQ(error_of_statements("launch k<<<1" + repeated(3000, "+1") + ", 1>>>()").substr(0, 60),
            "k.cu:2:4109: expression has more than 4096 operands and oper");
  EXPECT_EQ(error_of_statements("zero " + std::string(129, 'a')),
            "k.cu:2:6: a name has 129 characters\nhint: use at most 128");
  EXPECT_EQ(error_of_statements("launch k<<<1, 1>>>(0" + repeated(64, ",1") + ")"),
            "k.cu:2:148: more than 64 arguments");
  std::string values = "tune B in 0";
  for (int i = 1; i <= 64; ++i) values += "," + std::to_string(i);
  EXPECT_EQ(error_of_statements(values), "k.cu:2:193: more than 64 values");
  EXPECT_EQ(error_of_statements(repeated(513, "zero a\n")), "k.cu:514:1: more than 512 statements");
  EXPECT_EQ(error_of_statements(std::string(70'000, ' ')),
            "k.cu:1:1: the plan is longer than 65536 bytes");
  EXPECT_EQ(error_of(std::string(5u << 20, ' ')),
            "k.cu has 5.24 MB\nhint: a candidate has at most 4.19 MB");
}

}  // namespace
}  // namespace kp::task
