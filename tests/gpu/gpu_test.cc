// SPDX-License-Identifier: Apache-2.0
// The device over a real GPU: what candidates do there, and that none of it outlasts them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "build/compile.h"
#include "device/cuda.h"
#include "device/hardware.h"

namespace kp::device {
namespace {

constexpr const char* kSource = R"(
extern "C" __global__ void copy(float* to, const float* from, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}
extern "C" __global__ void overrun(float* to, const float* from, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i + count];
}
extern "C" __global__ void misaligned(float* to, const float* from, int) {
  to[0] = *reinterpret_cast<const float*>(reinterpret_cast<const char*>(from) + 1);
}
extern "C" __global__ void trapped(float*, const float*, int) { asm volatile("trap;"); }
extern "C" __global__ void hang(float* to, const float*, int) {
  while (*static_cast<volatile float*>(to) >= -1e30f) {}
}
extern "C" __global__ void slow(float* to, const float*, int) {
  const long long start = clock64();
  while (clock64() - start < 2000000) {}
  if (start == 0) to[0] = 1;
}
extern "C" __global__ void leftover(float* to, const float*, int) {
  __shared__ volatile unsigned room[8192];
  unsigned found = 0;
  for (int k = threadIdx.x; k < 8192; k += blockDim.x) {
    found += room[k] == 0x600DF00Du;
    room[k] = 0x600DF00Du;
  }
  atomicAdd(to, static_cast<float>(found));
}
extern "C" __global__ void beyond(float* to, const float* from, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i + 1] == 1234.5678f ? 0 : from[i];
}
extern "C" __global__ void wrong(float* to, const float*, int) { to[0] = 7; }
)";

/// One device for all tests; null where there is no GPU.
Device* the_gpu() {
  static const std::unique_ptr<Device> device = [] {
    Result<std::unique_ptr<Device>> opened = open_cuda("");
    if (!opened) std::fprintf(stderr, "%s\n", opened.error().text().c_str());
    return opened ? *std::move(opened) : nullptr;
  }();
  return device.get();
}

const build::Binary& the_binary() {
  static const build::Binary binary = [] {
    build::Binary made;
    const auto toolchain = build::find_toolchain();
    if (!toolchain) return made;
    const auto outcome = build::compile({.source = kSource,
                                         .name = "kernels.cu",
                                         .architecture = the_gpu()->describe().spec.architecture},
                                        *toolchain);
    if (!outcome || !std::holds_alternative<build::Compiled>(*outcome)) return made;
    made.cubin = std::get<build::Compiled>(*outcome).cubin;
    EXPECT_FALSE(made.cubin.empty()) << std::get<build::Compiled>(*outcome).log;
    return made;
  }();
  return binary;
}

class Gpu : public testing::Test {
 protected:
  static constexpr int kCount = 1024;

  void SetUp() override {
    if (the_gpu() == nullptr) GTEST_SKIP() << "skipped: no device";
    values_.resize(kCount);
    for (int i = 0; i < kCount; ++i) values_[static_cast<std::size_t>(i)] = static_cast<float>(i);
    from_ = array(values_);
    to_ = array(std::vector<float>(kCount));
  }
  void TearDown() override {
    if (the_gpu() == nullptr) return;
    the_gpu()->buffers().release(from_);
    the_gpu()->buffers().release(to_);
  }
  std::uint64_t array(const std::vector<float>& values) {
    const auto address = the_gpu()->buffers().allocate(values.size() * sizeof(float), "an array");
    EXPECT_TRUE(address) << address.error().text();
    write(*address, values);
    return *address;
  }
  void write(std::uint64_t address, const std::vector<float>& values) {
    EXPECT_TRUE(the_gpu()->buffers().write(address, std::as_bytes(std::span(values))));
  }
  std::vector<float> result() {
    std::vector<float> values(kCount);
    const auto read = the_gpu()->buffers().read(to_, std::as_writable_bytes(std::span(values)));
    EXPECT_TRUE(read) << read.error().text();
    return values;
  }
  BoundStep step(const std::string& kernel) const {
    BoundLaunch launch{.kernel = kernel, .parameters = std::vector<std::byte>(20)};
    const int count = kCount;
    std::memcpy(&launch.parameters[0], &to_, sizeof to_);
    std::memcpy(&launch.parameters[8], &from_, sizeof from_);
    std::memcpy(&launch.parameters[16], &count, sizeof count);
    launch.shape.grid[0] = kCount / 256;
    launch.shape.block[0] = 256;
    return launch;
  }
  std::unique_ptr<Loaded> load() {
    auto loaded = the_gpu()->load(the_binary());
    EXPECT_TRUE(loaded) << loaded.error().text();
    if (!loaded || !std::holds_alternative<std::unique_ptr<Loaded>>(*loaded)) return nullptr;
    return std::get<std::unique_ptr<Loaded>>(*std::move(loaded));
  }
  Mishap run(Loaded& module, const BoundStep& what, double deadline = 30) {
    const Result<Mishap> mishap =
        the_gpu()->run(module, {.steps = {&what, 1}, .deadline_seconds = deadline});
    EXPECT_TRUE(mishap) << mishap.error().text();
    return mishap ? *mishap : Mishap();
  }
  /// One candidate from its load to its end, as a word.
  std::string verdict(const std::string& kernel) {
    write(to_, std::vector<float>(kCount));
    const std::unique_ptr<Loaded> module = load();
    if (!module) return "not loaded";
    const Mishap mishap = run(*module, step(kernel), 1.0);
    if (const auto* crashed = std::get_if<Crashed>(&mishap))
      return std::string(name_of(crashed->fault));
    if (std::holds_alternative<TimedOut>(mishap)) return "timed out";
    return result() == values_ ? "right" : "wrong";
  }

  std::vector<float> values_;
  std::uint64_t from_ = 0, to_ = 0;
};

struct Candidate {
  const char* kernel;
  const char* verdict;
};
constexpr Candidate kCandidates[] = {{"copy", "right"},         {"wrong", "wrong"},
                                     {"overrun", "memory"},     {"misaligned", "misaligned"},
                                     {"trapped", "trap"},       {"hang", "timed out"},
                                     {"no_such", "unsupported"}};

TEST_F(Gpu, DescribesItself) {
  const Description& description = the_gpu()->describe();
  std::printf("%s: %s, %d SMs, %.2f GHz, candidates confined: %s\n", description.name.c_str(),
              description.spec.product.c_str(), description.spec.sm_count,
              description.spec.clock_hz / 1e9, the_gpu()->hardware()->sandbox().c_str());
  EXPECT_EQ(description.timing, Grade::kMeasured);
  EXPECT_GT(description.spec.sm_count, 0);
}

TEST_F(Gpu, TellsItsState) {
  const GpuState state = the_gpu()->hardware()->state();
  std::printf("SM %.0f MHz, memory %.0f MHz, %.0f W, %.0f C, %.0f J, reasons %llx, others %d\n",
              state.sm_hz.value_or(-1) / 1e6, state.memory_hz.value_or(-1) / 1e6,
              state.watts.value_or(-1), state.celsius.value_or(-1), state.joules.value_or(-1),
              static_cast<unsigned long long>(state.reasons.value_or(0)),
              state.other_processes.value_or(-1));
  EXPECT_TRUE(state.sm_hz);
}

TEST_F(Gpu, EveryCandidateGetsItsVerdict) {
  for (const Candidate& candidate : kCandidates)
    EXPECT_EQ(verdict(candidate.kernel), candidate.verdict) << candidate.kernel;
}

TEST_F(Gpu, VerdictsDoNotDependOnWhoCameBefore) {
  std::vector<Candidate> mixed;
  for (int i = 0; i < 4; ++i)
    mixed.insert(mixed.end(), std::begin(kCandidates), std::end(kCandidates));
  std::shuffle(mixed.begin(), mixed.end(), std::mt19937(7));
  for (const Candidate& candidate : mixed)
    EXPECT_EQ(verdict(candidate.kernel), candidate.verdict) << candidate.kernel;
}

TEST_F(Gpu, RefusesABlockThatIsTooLarge) {
  const std::unique_ptr<Loaded> module = load();
  BoundStep large = step("copy");
  std::get<BoundLaunch>(large).shape.block[0] = 2048;
  const Mishap mishap = run(*module, large);
  ASSERT_TRUE(std::holds_alternative<Crashed>(mishap));
  EXPECT_EQ(std::get<Crashed>(mishap).fault, FaultKind::kOutOfResources);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(run(*module, step("copy"))));
}

TEST_F(Gpu, TimesSteps) {
  const std::unique_ptr<Loaded> module = load();
  const BoundStep steps[] = {step("slow"), step("copy")};
  const Result<TimeReport> report = the_gpu()->time(*module, {.steps = steps});
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_EQ(report->launches.size(), 2u);
  std::printf("slow %.0f ns, copy %.0f ns\n", report->launches[0].nanoseconds,
              report->launches[1].nanoseconds);
  EXPECT_GT(report->launches[0].nanoseconds, 900'000);  // 2e6 cycles at most 2.2 GHz
  EXPECT_LT(report->launches[1].nanoseconds, 50'000);
}

TEST_F(Gpu, TimesContendersInTurn) {
  const std::unique_ptr<Loaded> module = load();
  const build::Binary baseline = the_binary();
  const std::vector<BoundStep> slow{step("slow")}, copy{step("copy")};
  const Contender contenders[] = {{.binary = &baseline, .sets = {slow}}, {.sets = {copy}}};
  std::vector<Lap> laps;
  for (int i = 0; i < 10; ++i) laps.insert(laps.end(), {{0, {0}}, {1, {0}}, {1, {0}}, {0, {0}}});
  const Result<SeriesReport> report =
      the_gpu()->hardware()->series(*module, {.contenders = contenders, .laps = laps});
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_EQ(report->laps.size(), laps.size());
  std::printf("slow %.0f ns, copy %.0f ns, empty %.0f ns, %.3f GHz, wall %.3f s\n",
              report->laps[4].nanoseconds, report->laps[5].nanoseconds, report->empty_nanoseconds,
              report->laps[4].sm_hz.value_or(-1) / 1e9, report->wall_seconds);
  EXPECT_GT(report->laps[4].nanoseconds, 900'000);
  EXPECT_LT(report->laps[5].nanoseconds, 50'000);
}

/// Arrays that another process has just written, and that are read right after the last lap.
TEST_F(Gpu, EveryLapIsSeenByTrustedCode) {
  constexpr std::size_t kLarge = 4 << 20, kSets = 8;
  Device& trusted = the_gpu()->hardware()->trusted();
  auto mine = trusted.load(the_binary());
  ASSERT_TRUE(mine && std::holds_alternative<std::unique_ptr<Loaded>>(*mine));
  const std::unique_ptr<Loaded> module = load();
  std::vector<float> input(kLarge), output(kLarge);
  const std::uint64_t source = array(input);
  std::vector<std::vector<BoundStep>> sets;
  std::vector<std::uint64_t> arrays;
  for (std::size_t i = 0; i < kSets; ++i) {
    arrays.push_back(array(output));
    BoundStep whole = step("copy");
    auto& launch = std::get<BoundLaunch>(whole);
    const int count = kLarge;
    std::memcpy(&launch.parameters[0], &arrays.back(), 8);
    std::memcpy(&launch.parameters[8], &source, 8);
    std::memcpy(&launch.parameters[16], &count, 4);
    launch.shape.grid[0] = kLarge / 256;
    sets.push_back({whole});
  }
  for (int round = 1; round <= 5; ++round) {
    for (const auto& set : sets)  // what lay there in the round before
      ASSERT_TRUE(trusted.run(*std::get<std::unique_ptr<Loaded>>(*mine), {.steps = set}));
    std::ranges::fill(input, static_cast<float>(round));
    write(source, input);
    const Contender contenders[] = {{.sets = sets}};
    const Lap laps[] = {{0, {0, 1}}, {0, {2, 3}}, {0, {4, 5}}, {0, {6, 7}}};
    const auto report =
        the_gpu()->hardware()->series(*module, {.contenders = contenders, .laps = laps});
    ASSERT_TRUE(report && report->laps.size() == 4u);
    for (const std::uint64_t address : arrays) {
      ASSERT_TRUE(trusted.buffers().read(address, std::as_writable_bytes(std::span(output))));
      EXPECT_TRUE(output == input) << "round " << round;
    }
  }
  for (const std::uint64_t address : arrays) the_gpu()->buffers().release(address);
  the_gpu()->buffers().release(source);
}

TEST_F(Gpu, CountsWhereCountersAreAllowed) {
  const std::unique_ptr<Loaded> module = load();
  const BoundStep steps[] = {step("copy")};
  const MetricKey keys[] = {metric::kDuration, metric::kDramRead};
  const Result<CountReport> report =
      the_gpu()->hardware()->count(*module, {.steps = steps, .metrics = keys});
  if (!report) {
    EXPECT_EQ(report.error().code, ErrorCode::kUnavailable);
    GTEST_SKIP() << report.error().text();
  }
  ASSERT_EQ(report->launches.size(), 1u);
  std::printf("%d passes, %.0f ns\n", report->passes, report->launches[0].nanoseconds);
  EXPECT_TRUE(report->launches[0].metrics.get(metric::kDuration));
}

TEST_F(Gpu, NothingIsLeftInSharedMemoryWhenACandidateStarts) {
  const std::unique_ptr<Loaded> module = load();
  ASSERT_TRUE(module);
  BoundStep once = step("leftover");
  std::get<BoundLaunch>(once).shape.grid[0] = 264;
  const BoundStep twice[] = {once, once};
  ASSERT_TRUE(the_gpu()->run(*module, {.steps = twice}));
  EXPECT_GT(result()[0], 0) << "the second launch of a run sees what the first one left";
  for (const std::uint64_t seed : {0, 5}) {
    write(to_, std::vector<float>(kCount));
    ASSERT_TRUE(the_gpu()->run(*module, {.steps = {&once, 1}, .schedule_seed = seed}));
    EXPECT_EQ(result()[0], 0) << "the first launch of a run does not";
  }
}

TEST_F(Gpu, ARunBesideOccupiedSmsComesToTheSame) {
  const std::unique_ptr<Loaded> module = load();
  ASSERT_TRUE(module);
  const BoundStep what = step("copy");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    write(to_, std::vector<float>(kCount));
    ASSERT_TRUE(the_gpu()->run(*module, {.steps = {&what, 1}, .schedule_seed = seed}));
    EXPECT_EQ(result(), values_);
  }
}

TEST_F(Gpu, EventsAndCuptiAgreeOnWhatRan) {
  const std::unique_ptr<Loaded> module = load();
  ASSERT_TRUE(module);
  const BoundStep steps[] = {step("slow"), step("copy")};
  const auto trace = the_gpu()->hardware()->trace(*module, {.steps = steps});
  if (!trace) GTEST_SKIP() << "skipped: " << trace.error().message;
  ASSERT_EQ(trace->kernels.size(), 2u);
  EXPECT_EQ(trace->kernels[0].name, "slow");
  EXPECT_EQ(trace->kernels[1].grid[0], static_cast<unsigned>(kCount / 256));
  const double span = trace->kernels[1].end - trace->kernels[0].start;
  std::printf("events %.0f ns, CUPTI %.0f ns\n", trace->event_nanoseconds, span);
  EXPECT_GE(trace->event_nanoseconds + 1000, 0.97 * span);
}

TEST_F(Gpu, ComputeSanitizerSeesAReadBehindAnArray) {
  const std::unique_ptr<Loaded> module = load();
  ASSERT_TRUE(module);
  const BoundStep good = step("copy");
  // 1000 floats end 96 bytes before their page does.
  const std::uint64_t odd = array(std::vector<float>(1000, 1));
  BoundStep bad = step("beyond");
  auto& launch = std::get<BoundLaunch>(bad);
  std::memcpy(&launch.parameters[8], &odd, sizeof odd);
  launch.shape.block[0] = 250;
  EXPECT_TRUE(std::holds_alternative<std::monostate>(run(*module, bad))) << "alone it is not seen";
  const auto clean = the_gpu()->run(*module, {.steps = {&good, 1}, .inspect = Inspect::kCheck});
  if (!clean) GTEST_SKIP() << "skipped: " << clean.error().message;
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*clean));
  const auto found = the_gpu()->run(*module, {.steps = {&bad, 1}, .inspect = Inspect::kCheck});
  the_gpu()->buffers().release(odd);
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_TRUE(std::holds_alternative<Crashed>(*found));
  EXPECT_EQ(std::get<Crashed>(*found).fault, FaultKind::kMemory);
}

}  // namespace
}  // namespace kp::device
