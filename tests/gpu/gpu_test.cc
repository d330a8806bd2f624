// SPDX-License-Identifier: Apache-2.0
// The device over a real GPU: what candidates do there, and that none of it outlasts them.
#include "gpu_fixture.h"

namespace kp::device {
namespace {

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

}  // namespace
}  // namespace kp::device
