// SPDX-License-Identifier: Apache-2.0
#include "build/build.h"

#include <gtest/gtest.h>

#include <thread>

#include "build/build_cache.h"
#include "build/sandbox.h"

namespace kp::build {
namespace {

using std::chrono::milliseconds;

Launch launch_of(const std::string& kernel, const std::vector<std::string>& names) {
  Launch launch;
  launch.kernel = kernel;
  launch.spot = {"candidate.cu", 2, 8};
  int column = 20;
  for (const std::string& name : names)
    launch.arguments.push_back({name, {"candidate.cu", 2, column++}});
  return launch;
}

/// x: f32 input, y: f32 output, n: axis.
Task simple_task() {
  Task task;
  task.name = "simple";
  task.declaration.axes = {"n"};
  const auto tensor = [](const std::string& name, TensorRole role) {
    Tensor made;
    made.name = name;
    made.role = role;
    made.shape = {Expr(1024)};
    return made;
  };
  task.declaration.tensors = {tensor("x", TensorRole::kInput), tensor("y", TensorRole::kOutput)};
  return task;
}

Candidate candidate_of(std::string source, const std::string& kernel = "k") {
  Candidate candidate;
  candidate.source = std::move(source);
  candidate.plan.steps = {launch_of(kernel, {"x", "y", "n"})};
  return candidate;
}

std::string copy_kernel(const std::string& before, const std::string& body) {
  return before + "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n" + body +
         "\n  y[threadIdx.x] = x[threadIdx.x];\n}\n";
}

class BuildTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_toolchain()) GTEST_SKIP() << "skipped: no CUDA toolkit";
    folder_ = *TemporaryFolder::make();
  }

  BuildOutcome build(const Candidate& candidate, milliseconds deadline = milliseconds(60'000)) {
    auto builder = Builder::open({.deadline = deadline, .cache = folder_.path() / "cache"});
    EXPECT_TRUE(builder.has_value());
    auto outcome = builder->build(simple_task(), candidate);
    EXPECT_TRUE(outcome.has_value()) << (outcome ? "" : outcome.error().text());
    return outcome ? *std::move(outcome) : BuildOutcome(BuildFailed{"world", {}});
  }

  /// The text of a failed or rejected build.
  std::string refusal(const Candidate& candidate) {
    const BuildOutcome outcome = build(candidate);
    if (const auto* failed = std::get_if<BuildFailed>(&outcome)) return failed->log;
    if (const auto* rejected = std::get_if<Rejected>(&outcome))
      return rejected->rule + ": " + rejected->reason;
    return std::holds_alternative<TimedOut>(outcome) ? "timed out" : "built";
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(BuildTest, APlainKernelGivesPtxCubinResourcesAndSignature) {
  const BuildOutcome outcome = build(candidate_of(copy_kernel("", "")));
  const auto* binary = std::get_if<Binary>(&outcome);
  ASSERT_NE(binary, nullptr) << refusal(candidate_of(copy_kernel("", "")));
  EXPECT_TRUE(contains(binary->ptx, ".visible .entry k("));
  EXPECT_TRUE(contains(binary->ptx, "\"candidate.cu\""))
      << "no folder of this run in the line table";
  EXPECT_TRUE(binary->cubin.starts_with("\177ELF"));
  EXPECT_TRUE(binary->compiler.starts_with("NVRTC "));
  ASSERT_NE(binary->find_resources("k"), nullptr);
  EXPECT_GT(binary->find_resources("k")->registers, 0);
  const KernelSignature* signature = binary->find_signature("k");
  ASSERT_NE(signature, nullptr);
  ASSERT_EQ(signature->parameters.size(), 3u);
  EXPECT_EQ(signature->parameters[2].bytes, 4u);
  EXPECT_EQ(signature->parameters[2].offset, 16u);
  EXPECT_TRUE(signature->parameters[0].constant);
  EXPECT_FALSE(signature->parameters[1].constant);
}

TEST_F(BuildTest, TuneValuesReachTheSource) {
  Candidate candidate = candidate_of("__constant__ int c = BLOCK;\n" +
                                     copy_kernel("", "  static_assert(BLOCK == 96); y[0] = c;"));
  candidate.tune["BLOCK"] = 96;
  EXPECT_EQ(refusal(candidate), "built");
  candidate.tune["BLOCK"] = 97;
  EXPECT_TRUE(contains(refusal(candidate), "static assertion failed"));
}

TEST_F(BuildTest, ACompileErrorKeepsTheCompilersTextAndItsLine) {
  const BuildOutcome outcome = build(candidate_of(copy_kernel("", "  undeclared = 1;")));
  const auto* failed = std::get_if<BuildFailed>(&outcome);
  ASSERT_NE(failed, nullptr);
  EXPECT_TRUE(contains(failed->log, "identifier \"undeclared\" is undefined"));
  EXPECT_EQ(failed->spot, (SourceSpot{"candidate.cu", 2, 0}));
}

TEST_F(BuildTest, CommonCHeadersNeedNoNvcc) {
  const BuildOutcome outcome = build(candidate_of(copy_kernel(
      "#include <cstdint>\n#include <math.h>\n#include <float.h>\n#include <limits.h>\n"
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_runtime.h>\n",
      "  std::uint32_t v = n; y[v] = v == INT_MAX ? INFINITY : v == 3 ? FLT_MAX : sqrtf(v);")));
  const auto* binary = std::get_if<Binary>(&outcome);
  ASSERT_NE(binary, nullptr) << std::get<BuildFailed>(outcome).log;
  EXPECT_TRUE(binary->compiler.starts_with("NVRTC "));
}

TEST_F(BuildTest, HostHeadersGoToNvcc) {
  if (find_toolchain()->nvcc.empty()) GTEST_SKIP() << "skipped: no nvcc";
  const BuildOutcome outcome = build(candidate_of(copy_kernel("#include <cstdio>\n", "")));
  const auto* binary = std::get_if<Binary>(&outcome);
  ASSERT_NE(binary, nullptr);
  EXPECT_TRUE(binary->compiler.starts_with("nvcc "));
  EXPECT_TRUE(contains(binary->ptx, "\"candidate.cu\""));
  ASSERT_NE(binary->find_resources("k"), nullptr);
  EXPECT_GT(binary->find_resources("k")->registers, 0);
}

TEST_F(BuildTest, AKernelWithACxxNameIsExplained) {
  const BuildOutcome outcome =
      build(candidate_of("__global__ void k(const float* x, float* y, int n) { y[0] = x[0]; }"));
  const auto* failed = std::get_if<BuildFailed>(&outcome);
  ASSERT_NE(failed, nullptr);
  EXPECT_TRUE(contains(failed->log, "put `extern \"C\"`")) << failed->log;
  EXPECT_EQ(failed->spot, (SourceSpot{"candidate.cu", 2, 8}));
}

TEST_F(BuildTest, AMissingKernelNamesTheNearestOne) {
  Candidate candidate = candidate_of(
      "extern \"C\" __global__ void transpose(const float* x, float* y, int n) { y[0] = x[0]; }");
  candidate.plan.steps = {launch_of("transpos", {"x", "y", "n"})};
  EXPECT_TRUE(contains(refusal(candidate), "did you mean `transpose`?"));
}

TEST_F(BuildTest, WritableGlobalsAreRejectedWhereverTheyHide) {
  const std::vector<std::pair<std::string, std::string>> hidden{
      {"__device__ int counter;\n", "  y[1] = counter++;"},
      {"", "  static int calls; y[1] = calls++;"},
      {"", "  asm volatile(\"{.global .u32 evil; st.global.u32 [evil], 1;}\");"},
      {"", "  asm volatile(\"{.global .u32 evil = 3; st.global.u32 [evil], 1;}\");"},
      {"__device__ int counter = 1;\n", "  y[1] = counter++;"},
      {"__device__ int never_named[20000];\n", ""},
      {"__device__ const float table[2000] = {1};\n", "  y[1] = table[n];"},
      {"__device__ const int e = 2;\n__device__ int table = 1;\n", "  y[1] = table++;"},
      {"",
       "  { static const int t[2] = {1, 2}; y[1] = t[n & 1]; } { static int t = 1; y[2] = t++; }"}};
  for (const auto& [before, body] : hidden) {
    const std::string text = refusal(candidate_of(copy_kernel(before, body)));
    EXPECT_TRUE(text.starts_with("writable-global: ")) << before << body << "\n" << text;
  }
}

TEST_F(BuildTest, ConstantTablesPass) {
  EXPECT_EQ(refusal(candidate_of(copy_kernel("__device__ const float table[4] = {1, 2, 3, 4};\n",
                                             "  y[1] = table[n & 3];"))),
            "built");
  EXPECT_EQ(refusal(candidate_of(copy_kernel("__constant__ float table[4] = {1, 2, 3, 4};\n",
                                             "  y[1] = table[n & 3];"))),
            "built");
  EXPECT_EQ(refusal(candidate_of(copy_kernel(
                "", "  static constexpr int table[4] = {1, 2, 3, 4}; y[1] = table[n & 3];"))),
            "built");
  const std::string several = "constexpr int kFirst = 3, kSecond = 4, kThird = 5;\n";
  const std::string use = "  y[1] = max(max(kFirst, kSecond), max(n, kThird));";
  EXPECT_EQ(refusal(candidate_of(copy_kernel(several, use))), "built");
  const std::string writable = "__device__ int first = 3, second = 4;\n";
  EXPECT_TRUE(refusal(candidate_of(copy_kernel(writable, "  second = n; y[1] = first;")))
                  .starts_with("writable-global: "));
}

TEST_F(BuildTest, TablesOfTheRuntimesFunctionsAreNoState) {
  EXPECT_EQ(refusal(candidate_of(copy_kernel("", "  y[1] = sinf(x[0]) + sinpi((double)x[1]);"))),
            "built");
  const std::string own = "#define NAMED(a, b) a##b\n__device__ int NAMED(__cud, art_count) = 3;\n";
  EXPECT_TRUE(refusal(candidate_of(copy_kernel(own, "  y[1] = NAMED(__cudart, _count)++;")))
                  .starts_with("writable-global: "));
}

TEST_F(BuildTest, ServicesOfTheRuntimeAreRejected) {
  for (const std::string body :
       {"  printf(\"%d\", n);", "  y[1] = malloc(n) != nullptr;", "  assert(n == 1);"}) {
    const std::string text = refusal(candidate_of(copy_kernel("", body)));
    EXPECT_TRUE(text.starts_with("undefined-symbol: ")) << body << "\n" << text;
  }
  EXPECT_TRUE(
      contains(refusal(candidate_of(copy_kernel("", "  printf(\"%d\", n);"))), "`vprintf`"));
}

TEST_F(BuildTest, KernelsThatThePlanDoesNotNameAreRejected) {
  const std::string text =
      refusal(candidate_of(copy_kernel("__global__ void spare(float* y) { y[0] = 1; }\n", "")));
  EXPECT_TRUE(text.starts_with("unplanned-kernel: ")) << text;
}

TEST_F(BuildTest, TooMuchStaticSharedMemoryNamesTheWayOut) {
  const std::string text = refusal(candidate_of(copy_kernel(
      "", "  __shared__ float big[20000]; big[n] = x[0]; __syncthreads(); y[1] = big[3];")));
  EXPECT_TRUE(contains(text, "too much shared data")) << text;
  EXPECT_TRUE(contains(text, "extern __shared__")) << text;
}

TEST_F(BuildTest, EndlessTemplatesEndAtTheDeadline) {
  const std::string bomb =
      "template <int A, int B> struct S { static constexpr int v = S<A - 1, B>::v + S<A - 1, B + "
      "1>::v + "
      "S<A - 1, 2 * B>::v + S<A - 1, 3 * B + 1>::v; };\n"
      "template <int B> struct S<0, B> { static constexpr int v = 1; };\n";
  const BuildOutcome outcome =
      build(candidate_of(copy_kernel(bomb, "  y[1] = S<60, 1>::v;")), milliseconds(1500));
  const auto* late = std::get_if<TimedOut>(&outcome);
  ASSERT_NE(late, nullptr) << refusal(candidate_of(copy_kernel(bomb, "")));
  EXPECT_EQ(late->phase, "compile");
  EXPECT_EQ(late->limit, 1.5);
}

TEST_F(BuildTest, IncludeLoopsAreAnErrorOfTheCandidate) {
  const BuildOutcome outcome = build(candidate_of("#include __FILE__\n" + copy_kernel("", "")));
  EXPECT_TRUE(std::holds_alternative<BuildFailed>(outcome));
}

TEST_F(BuildTest, FilesOfTheMachineDoNotReachTheLog) {
  if (!sandbox_works()) GTEST_SKIP() << "skipped: no sandbox: " << sandbox_level();
  const std::string text =
      refusal(candidate_of("#include \"/etc/passwd\"\n" + copy_kernel("", "")));
  EXPECT_FALSE(contains(text, "root:")) << text;
  EXPECT_TRUE(contains(text, "may include CUDA's own headers")) << text;
}

TEST_F(BuildTest, ArgumentErrorsPointAtTheArgument) {
  Candidate candidate = candidate_of(
      "extern \"C\" __global__ void k(const double* x, float* y, int n) { y[0] = x[0]; }");
  const BuildOutcome outcome = build(candidate);
  const auto* failed = std::get_if<BuildFailed>(&outcome);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->spot, (SourceSpot{"candidate.cu", 2, 20}));
  EXPECT_TRUE(contains(failed->log,
                       "argument 1 of `k` is the input `x` of f32, but the parameter is "
                       "`const double * x`"))
      << failed->log;
}

TEST_F(BuildTest, ASecondBuildComesFromTheCacheAndADamagedEntryDoesNot) {
  const Candidate candidate = candidate_of(copy_kernel("", ""));
  const auto first = build(candidate);
  Path entry;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder_.path() / "cache")) {
    if (file.is_regular_file()) entry = file.path();
  }
  const BuildCache cache(folder_.path() / "cache");
  auto stored = cache.find(entry.filename().string());
  ASSERT_TRUE(stored.has_value());
  stored->log += "a mark of the cache\n";
  ASSERT_TRUE(cache.store(entry.filename().string(), *stored));
  EXPECT_TRUE(contains(std::get<Binary>(build(candidate)).log, "a mark of the cache"));
  ASSERT_TRUE(write_file(entry, "short"));
  EXPECT_FALSE(contains(std::get<Binary>(build(candidate)).log, "a mark of the cache"));
  EXPECT_EQ(std::get<Binary>(build(candidate)).id, std::get<Binary>(first).id);
}

TEST_F(BuildTest, SeveralThreadsMayBuildAtOnce) {
  std::vector<std::string> texts(3);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < texts.size(); ++i)
    threads.emplace_back([&, i] { texts[i] = refusal(candidate_of(copy_kernel("", ""))); });
  threads.clear();
  EXPECT_EQ(texts, (std::vector<std::string>(3, "built")));
}

}  // namespace
}  // namespace kp::build
