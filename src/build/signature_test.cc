// SPDX-License-Identifier: Apache-2.0
#include "build/signature.h"

#include <gtest/gtest.h>

namespace kp::build {
namespace {

/// A module with one entry `k` whose parameters have these types.
ptx::Module module_of(const std::vector<ptx::Type>& types) {
  ptx::Function entry;
  entry.name = "k";
  entry.is_entry = true;
  for (const ptx::Type type : types) entry.parameters.push_back({.type = type});
  ptx::Module module;
  module.functions.push_back(entry);
  return module;
}

std::vector<KernelParameter> parameters_of(const std::string& source,
                                           const std::vector<ptx::Type>& types) {
  const auto signatures = read_signatures(source, "c.cu", module_of(types));
  return signatures.at(0).parameters;
}

constexpr auto kPointer = ptx::Type::kU64;

TEST(SignatureTest, ReadsPointersScalarsAndTheirLayout) {
  const auto found = parameters_of(
      "extern \"C\" __global__ void k(const float* __restrict__ x, __half2 *y, int n, long long m) "
      "{}",
      {kPointer, kPointer, ptx::Type::kU32, ptx::Type::kU64});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].name, "x");
  EXPECT_EQ(found[0].type, "const float * __restrict__");
  EXPECT_TRUE(found[0].pointer && found[0].constant);
  EXPECT_EQ(found[0].element, DType::kF32);
  EXPECT_EQ(found[1].element, DType::kF16);
  EXPECT_EQ(found[1].lanes, 2);
  EXPECT_FALSE(found[1].constant);
  EXPECT_EQ(found[2].element, DType::kI32);
  EXPECT_EQ(found[2].offset, 16u);
  EXPECT_EQ(found[3].element, DType::kI64);
  EXPECT_EQ(found[3].offset, 24u) << "aligned to its size";
}

TEST(SignatureTest, SeesThroughMacrosAliasesAndAttributes) {
  const auto found = parameters_of(
      "#define RESTRICT __restrict__\n#define BOUNDS(n) __launch_bounds__(n, 2)\n"
      "typedef unsigned long long u64; using real = float; using cptr = const real*;\n"
      "// __global__ void k(int wrong) {}\n"
      "extern \"C\"\n__global__ void BOUNDS(128)\nk(const real* RESTRICT x, cptr y, u64 n, float* "
      "RESTRICT)\n{}",
      {kPointer, kPointer, ptx::Type::kU64, kPointer});
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].element, DType::kF32);
  EXPECT_EQ(found[0].name, "x");
  EXPECT_TRUE(found[1].pointer && found[1].constant);
  EXPECT_EQ(found[2].element, DType::kU64);
  EXPECT_EQ(found[3].name, "");
  EXPECT_TRUE(found[3].pointer);
}

TEST(SignatureTest, ReadsQualifiedNamesArraysAndUnsignedForms) {
  const auto found = parameters_of(
      "extern \"C\" __global__ void k(const std::uint8_t* a, int const b[], unsigned, unsigned "
      "short* c) {}",
      {kPointer, kPointer, ptx::Type::kU32, kPointer});
  EXPECT_EQ(found[0].element, DType::kU8);
  EXPECT_TRUE(found[1].pointer && found[1].constant);
  EXPECT_EQ(found[1].name, "b");
  EXPECT_EQ(found[2].element, DType::kU32);
  EXPECT_EQ(found[3].element, DType::kU16);
}

TEST(SignatureTest, AnUnreadableListLeavesTheSizes) {
  const auto found =
      parameters_of("#define LIST float* x, int n\nextern \"C\" __global__ void k(LIST) {}",
                    {kPointer, ptx::Type::kU32});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].bytes, 4u);
  EXPECT_EQ(found[1].element, std::nullopt);
}

TEST(SignatureTest, DamagedSourcesDoNoHarm) {
  for (const std::string source :
       {"__global__", "__global__ (", "__global__ void k(((", "extern \"C\" __global__ void k(int",
        "#define", "typedef", "using a", "/*", "\"", "#define A A\n__global__ void k(A x){}",
        "#define A B\n#define B A\n__global__ void k(A x){}"}) {
    EXPECT_EQ(parameters_of(source, {ptx::Type::kU32}).size(), 1u) << source;
  }
}

TEST(SignatureTest, TheSpotIsTheKernelsName) {
  const auto signatures =
      read_signatures("\n  extern \"C\" __global__ void k() {}", "c.cu", module_of({}));
  EXPECT_EQ(signatures.at(0).spot, (SourceSpot{"c.cu", 2, 30}));
}

/// Everything an argument check needs: x f16 input, s f32 scalar, n axis, b scratch u8.
struct Case {
  Task task;
  Candidate candidate;
  Case() {
    task.declaration.axes = {"n"};
    Tensor x;
    x.name = "x";
    x.dtype = DType::kF16;
    x.shape = {Expr(8)};
    Tensor s;
    s.name = "s";
    task.declaration.tensors = {x, s};
    candidate.plan.buffers = {{.name = "b", .dtype = DType::kU8, .shape = {Expr(8)}}};
  }
  std::string check(const std::string& parameter, Argument argument, ptx::Type type = kPointer) {
    argument.spot = {"c.cu", 3, 9};
    Launch launch;
    launch.kernel = "k";
    launch.arguments = {argument};
    candidate.plan.steps = {launch};
    const auto signatures =
        read_signatures("typedef struct { __half h[8]; } half8;\nextern \"C\" __global__ void k(" +
                            parameter + ") {}",
                        "c.cu", module_of({type}));
    const auto checked = check_arguments(task, candidate, signatures);
    return checked ? "" : checked.error().text();
  }
};

TEST(ArgumentTest, AcceptsEveryViewOfATensor) {
  Case of;
  for (const std::string type :
       {"const __half* p", "const half2* p", "const uint4* p", "const int2* p", "const void* p",
        "const half8* p", "const unsigned short* p"})
    EXPECT_EQ(of.check(type, {"x", {}}), "") << type;
}

TEST(ArgumentTest, RefusesOtherElements) {
  Case of;
  for (const std::string type : {"const float* p", "const int* p", "const __nv_bfloat16* p",
                                 "const float4* p", "const unsigned char* p"})
    EXPECT_NE(of.check(type, {"x", {}}), "") << type;
  EXPECT_EQ(of.check("const float* p", {"x", {}}),
            "c.cu:3:9: argument 1 of `k` is the input `x` of f16, but the parameter is `const "
            "float * p`\n"
            "hint: declare the parameter as a pointer to __half or __half2");
}

TEST(ArgumentTest, AnInputNeedsAConstPointer) {
  Case of;
  EXPECT_NE(of.check("__half* p", {"x", {}}).find("declare the parameter `const __half *`"),
            std::string::npos);
}

TEST(ArgumentTest, ChecksScalarsIntegersAndNumbers) {
  Case of;
  EXPECT_EQ(of.check("float v", {"s", {}}, ptx::Type::kF32), "");
  EXPECT_EQ(of.check("double v", {"s", {}}, ptx::Type::kF64), "");
  EXPECT_NE(of.check("int v", {"s", {}}, ptx::Type::kU32), "");
  EXPECT_NE(of.check("const float* v", {"s", {}}), "");
  EXPECT_EQ(of.check("unsigned v", {Expr(7), {}}, ptx::Type::kU32), "");
  EXPECT_NE(of.check("float v", {Expr(7), {}}, ptx::Type::kF32), "");
  EXPECT_NE(of.check("short v", {"n", {}}, ptx::Type::kU16), "");
  EXPECT_EQ(of.check("float v", {0.5, {}}, ptx::Type::kF32), "");
  EXPECT_NE(of.check("int v", {0.5, {}}, ptx::Type::kU32), "");
  EXPECT_EQ(of.check("unsigned char* v", {"b", {}}), "");
  EXPECT_NE(of.check("unsigned char* v", {"z", {}}).find("`z`, which is not declared"),
            std::string::npos);
}

TEST(ArgumentTest, CountsArgumentsAndShowsTheParameters) {
  Case of;
  of.candidate.plan.steps = {};
  Launch launch;
  launch.kernel = "k";
  launch.spot = {"c.cu", 3, 1};
  of.candidate.plan.steps = {launch};
  const auto signatures = read_signatures("extern \"C\" __global__ void k(float* a, int n) {}",
                                          "c.cu", module_of({kPointer, ptx::Type::kU32}));
  const auto checked = check_arguments(of.task, of.candidate, signatures);
  ASSERT_FALSE(checked.has_value());
  EXPECT_EQ(checked.error().text(),
            "c.cu:3:1: `k` takes 2 arguments, the launch gives 0\nhint: its parameters are (float "
            "* a, int n)");
}

}  // namespace
}  // namespace kp::build
