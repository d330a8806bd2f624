// SPDX-License-Identifier: Apache-2.0
// The device as the harness sees it.
#include "build/sandbox.h"
#include "fixture.h"

namespace kp::device::cuda {
namespace {

TEST_F(FakeGpu, DescribesTheGpuByItsDriverAndItsSpec) {
  const Description& description = device_->describe();
  EXPECT_EQ(description.name, "cuda:0");
  EXPECT_EQ(description.timing, Grade::kMeasured);
  EXPECT_EQ(description.spec.name, "h200");
  EXPECT_EQ(description.spec.sm_count, 4);              // the driver's
  EXPECT_EQ(description.spec.shared_per_sm, 233472);    // the spec's: the driver does not say
  EXPECT_EQ(description.spec.memory_bytes, 1ll << 30);  // the driver's
  EXPECT_TRUE(description.clusters);
  EXPECT_TRUE(description.cooperative);
  EXPECT_FALSE(description.tensor_maps);
}

TEST_F(FakeGpu, SaysWhatConfinesCandidates) {
  const std::string level = device_->hardware()->sandbox();
  // Without Landlock, namespaces alone are "minimal".
  EXPECT_TRUE(level == "full" || level == "landlock" || level == "minimal") << level;
  EXPECT_TRUE(build::sandbox_works() || level != "full");
}

TEST(FakeGpuConfinement, NeverExceedsTheLevelThatIsAskedFor) {
  for (const char* name : {"full", "landlock", "minimal"}) {
    ::setenv("KERNELPRO_SANDBOX", name, 1);
    const Result<Confinement> level = strongest_confinement();
    ASSERT_TRUE(level) << level.error().text();
    EXPECT_EQ(name_of(*level), name);
    WorkerSpec spec = fake_spec();
    spec.confinement = *level;
    const Result<std::unique_ptr<Device>> device = GpuDevice::open(spec);
    ASSERT_TRUE(device) << device.error().text();
    const std::string reached = (*device)->hardware()->sandbox();
    EXPECT_TRUE(reached == name || reached == "minimal" ||
                (reached == "landlock" && *level == Confinement::kFull))
        << reached << ", and " << name << " was asked for";
    const auto loaded = (*device)->load(binary_of("copy"));
    ASSERT_TRUE(loaded) << loaded.error().text();
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<Loaded>>(*loaded));
  }
  ::setenv("KERNELPRO_SANDBOX", "none", 1);
  const Result<Confinement> none = strongest_confinement();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kInvalidInput);
  ::unsetenv("KERNELPRO_SANDBOX");
}

TEST_F(FakeGpu, RunsACandidateOnArraysThatTrustedCodeWrote) {
  const std::uint64_t before = array({1, 2, 3});
  const std::unique_ptr<Loaded> module = load("copy");
  ASSERT_TRUE(module);
  const std::uint64_t after = array({0, 0, 0});  // when the process is there already
  EXPECT_TRUE(std::holds_alternative<std::monostate>(run(*module, step_of(after, before, 3))));
  EXPECT_EQ(values_at(after, 3), (std::vector<float>{1, 2, 3}));
}

TEST_F(FakeGpu, ClearsMemoryAsAStep) {
  const std::uint64_t address = array({1, 2, 3});
  const std::unique_ptr<Loaded> module = load("copy");
  run(*module, BoundZero{address, 8});
  EXPECT_EQ(values_at(address, 3), (std::vector<float>{0, 0, 3}));
}

TEST_F(FakeGpu, MovesMoreThanTheStagingMemoryHolds) {
  const std::size_t count = kStagingBytes / sizeof(float) + 1000;
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; i += 997) values[i] = static_cast<float>(i);
  const std::uint64_t address = array(values);
  EXPECT_EQ(values_at(address, count), values);
}

TEST_F(FakeGpu, AnAccessBehindAnArrayHitsNothing) {
  const std::uint64_t from = array(std::vector<float>(128)), to = array(std::vector<float>(1024));
  const std::unique_ptr<Loaded> module = load("copy");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(run(*module, step_of(to, from, 128))));
  const Mishap mishap = run(*module, step_of(to, from, 129));
  ASSERT_TRUE(std::holds_alternative<Crashed>(mishap));
  EXPECT_NE(std::get<Crashed>(mishap).message.find("signal 11"), std::string::npos)
      << std::get<Crashed>(mishap).message;
}

TEST_F(FakeGpu, ArraysDoNotTouch) {
  const std::uint64_t first = array(std::vector<float>(1)), second = array(std::vector<float>(1));
  EXPECT_GE(second - first, 2 * kPageBytes);
  device_->buffers().release(first);
  EXPECT_EQ(array(std::vector<float>(1)), first);  // addresses do not run out
}

TEST_F(FakeGpu, SharesAnArrayWithAProcessThatMapsItsMemory) {
  const std::uint64_t address = array({1, 2, 3});
  Result<SharedArray> shared = device_->hardware()->share(address);
  ASSERT_TRUE(shared) << shared.error().text();
  // The pretended driver's memory is a file.
  std::vector<float> seen(3);
  const auto bytes = static_cast<ssize_t>(seen.size() * sizeof(float));
  const auto at = static_cast<off_t>(shared->offset);
  EXPECT_EQ(::pread(shared->descriptor.number(), seen.data(), seen.size() * sizeof(float), at),
            bytes);
  EXPECT_EQ(seen, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(shared->bytes % kPageBytes, 0u);
  EXPECT_LE(shared->offset + seen.size() * sizeof(float), shared->bytes);
  device_->buffers().release(address);
  EXPECT_FALSE(device_->hardware()->share(address));
}

TEST_F(FakeGpu, SaysWhatDoesNotFit) {
  const auto address = device_->buffers().allocate(2ull << 30, "tensor x");
  ASSERT_FALSE(address);
  EXPECT_EQ(address.error().code, ErrorCode::kLimit);
  EXPECT_NE(address.error().message.find("tensor x"), std::string::npos);
}

TEST_F(FakeGpu, RefusesABinaryThatTheDriverCannotRead) {
  const auto loaded = device_->load({.cubin = "not a binary"});
  ASSERT_TRUE(loaded) << loaded.error().text();
  ASSERT_TRUE(std::holds_alternative<Crashed>(*loaded));
  EXPECT_EQ(std::get<Crashed>(*loaded).fault, FaultKind::kUnsupported);
}

TEST_F(FakeGpu, TimesStepsAndNamesTheirKernels) {
  const std::uint64_t address = array({1});
  const std::unique_ptr<Loaded> module = load("slow 90");
  const BoundStep steps[] = {BoundZero{address, 4}, step_of(address, address, 1)};
  const Result<TimeReport> report = device_->time(*module, {.steps = steps});
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_TRUE(std::holds_alternative<std::monostate>(report->mishap));
  EXPECT_EQ(report->grade, Grade::kMeasured);
  EXPECT_NEAR(report->nanoseconds, 100'000, 1000);  // 90 us and a launch
  ASSERT_EQ(report->launches.size(), 1u);
  EXPECT_EQ(report->launches[0].kernel, "k");
  EXPECT_EQ(report->launches[0].step, 1);
}

TEST_F(FakeGpu, TimesTwoContendersInTurn) {
  const std::unique_ptr<Loaded> module = load("slow 40");
  const build::Binary baseline = binary_of("slow 90");
  const std::vector<BoundStep> steps{step_of(0, 0, 0)};
  const Contender contenders[] = {{.binary = &baseline, .sets = {steps}}, {.sets = {steps}}};
  const Lap laps[] = {{0, {0}}, {1, {0}}, {1, {0, 0}}};
  const Result<SeriesReport> report =
      device_->hardware()->series(*module, {.contenders = contenders, .laps = laps});
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_TRUE(std::holds_alternative<std::monostate>(report->mishap));
  ASSERT_EQ(report->laps.size(), 3u);
  EXPECT_NEAR(report->laps[0].nanoseconds, 100'000, 1000);
  EXPECT_NEAR(report->laps[1].nanoseconds, 50'000, 1000);
  EXPECT_NEAR(report->laps[2].nanoseconds, 100'000, 1000);
  EXPECT_GT(report->wall_seconds, 0);
}

TEST_F(FakeGpu, TheClockOfAShortLapIsKnownToOnePercent) {
  const Told told("coarse");
  const std::unique_ptr<Loaded> module = load("slow 11");
  const build::Binary baseline = binary_of("slow 600");
  const std::vector<BoundStep> steps{step_of(0, 0, 0)};
  const Contender contenders[] = {{.sets = {steps}}, {.binary = &baseline, .sets = {steps}}};
  const Lap laps[] = {{0, {0}}, {1, {0}}, {1, {0}}, {0, {0}}};
  const Result<SeriesReport> report =
      device_->hardware()->series(*module, {.contenders = contenders, .laps = laps});
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_EQ(report->laps.size(), 4u);
  EXPECT_NEAR(report->laps[0].nanoseconds, 21'000, 1000);  // the wait for the clock is not in it
  for (const LapTime& lap : report->laps) {
    ASSERT_TRUE(lap.sm_hz);
    EXPECT_NEAR(*lap.sm_hz, 1e9, 1e7);
  }
}

TEST_F(FakeGpu, NamesTheContenderWhoseKernelFailed) {
  const std::unique_ptr<Loaded> module = load("fault 700");
  const build::Binary baseline = binary_of("slow 90");
  const std::vector<BoundStep> steps{step_of(0, 0, 0)};
  const Contender contenders[] = {{.binary = &baseline, .sets = {steps}}, {.sets = {steps}}};
  const Lap laps[] = {{0, {0}}, {1, {0}}};
  const Result<SeriesReport> report =
      device_->hardware()->series(*module, {.contenders = contenders, .laps = laps});
  ASSERT_TRUE(report) << report.error().text();
  ASSERT_TRUE(std::holds_alternative<Crashed>(report->mishap));
  EXPECT_EQ(report->guilty, 1);
  EXPECT_EQ(std::get<Crashed>(report->mishap).fault, FaultKind::kMemory);
  EXPECT_EQ(std::get<Crashed>(report->mishap).kernel, "k");
}

TEST_F(FakeGpu, TrustedCodeRunsApartOverTheSameMemory) {
  Device& trusted = device_->hardware()->trusted();
  auto loaded = trusted.load(binary_of("copy"));
  ASSERT_TRUE(loaded && std::holds_alternative<std::unique_ptr<Loaded>>(*loaded));
  Loaded& module = *std::get<std::unique_ptr<Loaded>>(*loaded);
  const std::uint64_t from = array({5, 6}), to = array({0, 0});
  EXPECT_EQ(verdict("crash"), "trap");
  const BoundStep step = step_of(to, from, 2);
  const Result<Mishap> mishap = trusted.run(module, {.steps = {&step, 1}});
  ASSERT_TRUE(mishap) << mishap.error().text();
  EXPECT_EQ(values_at(to, 2), (std::vector<float>{5, 6}));
}

}  // namespace
}  // namespace kp::device::cuda
