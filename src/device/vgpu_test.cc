// SPDX-License-Identifier: Apache-2.0
#include "device/vgpu.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "base/file.h"
#include "device/bind.h"
#include "ptx/parse.h"

namespace kp::device {
namespace {

std::string test_file(const char* name) {
  Result<std::string> text = read_text(Path(KP_SOURCE_DIR "/src/device/testdata") / name);
  EXPECT_TRUE(text.has_value());
  return text.value_or("");
}

build::Binary test_binary() {
  build::Binary binary;
  binary.ptx = test_file("kernels.ptx");
  const Result<ptx::Module> module = ptx::parse(binary.ptx);
  EXPECT_TRUE(module.has_value()) << module.error().text();
  binary.signatures = build::read_signatures(test_file("kernels.cu"), "kernels.cu", *module);
  for (const build::KernelSignature& signature : binary.signatures) {
    binary.resources.push_back({.kernel = signature.kernel, .registers = 24});
  }
  return binary;
}

/// A device with the test module, and tensors of floats by name.
class Bench {
 public:
  Bench() : binary_(test_binary()), device_(*open_vgpu("h200", nullptr)) {
    auto loaded = device_->load(binary_);
    EXPECT_TRUE(loaded.has_value()) << loaded.error().text();
    if (auto* crashed = std::get_if<Crashed>(&*loaded)) ADD_FAILURE() << crashed->message;
    module_ = std::get<std::unique_ptr<Loaded>>(*std::move(loaded));
  }

  void tensor(const std::string& name, const std::vector<float>& values) {
    const std::uint64_t bytes = values.size() * sizeof(float);
    const Result<std::uint64_t> address = device_->buffers().allocate(bytes, "tensor " + name);
    ASSERT_TRUE(address.has_value());
    binding.addresses[name] = *address;
    ASSERT_TRUE(device_->buffers().write(*address, std::as_bytes(std::span(values))).has_value());
  }
  std::vector<float> values_of(const std::string& name, std::size_t count) {
    std::vector<float> values(count);
    const auto bytes = std::as_writable_bytes(std::span(values));
    EXPECT_TRUE(device_->buffers().read(binding.addresses.at(name), bytes).has_value());
    return values;
  }
  BoundStep bind(const Launch& launch) {
    Result<std::vector<BoundStep>> bound =
        bind_steps({launch}, binary_, binding, device_->describe());
    EXPECT_TRUE(bound.has_value()) << bound.error().text();
    BoundStep step = bound->at(0);
    // The launch of the plan lives in the caller's plan; here it does not.
    std::get<BoundLaunch>(step).shape.launch = nullptr;
    return step;
  }
  Mishap run(const Launch& launch, Inspect inspect = Inspect::kValues, std::uint64_t budget = 0) {
    const BoundStep steps[] = {bind(launch)};
    Result<Mishap> mishap =
        device_->run(*module_, {.steps = steps, .inspect = inspect, .instruction_budget = budget});
    EXPECT_TRUE(mishap.has_value()) << mishap.error().text();
    return *mishap;
  }
  TimeReport time(const Launch& launch, std::uint64_t sample_blocks = 0) {
    const BoundStep steps[] = {bind(launch)};
    Result<TimeReport> report =
        device_->time(*module_, {.steps = steps, .sample_blocks = sample_blocks});
    EXPECT_TRUE(report.has_value()) << report.error().text();
    return *report;
  }
  Device& device() { return *device_; }
  Loaded& module() { return *module_; }

  Binding binding;

 private:
  build::Binary binary_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Loaded> module_;
};

Launch launch_of(const std::string& kernel, std::array<std::int64_t, 2> grid,
                 std::array<std::int64_t, 2> block, std::vector<Argument> arguments) {
  Launch launch;
  launch.kernel = kernel;
  launch.grid = {Expr(grid[0]), Expr(grid[1]), Expr(1)};
  launch.block = {Expr(block[0]), Expr(block[1]), Expr(1)};
  launch.arguments = std::move(arguments);
  return launch;
}

Launch scale_launch(std::int64_t n) {
  return launch_of("scale", {(n + 255) / 256, 1}, {256, 1},
                   {{std::string("x")}, {std::string("y")}, {2.0}, {Expr(n)}});
}

TEST(Vgpu, RunsAKernelAndGivesItsValues) {
  Bench bench;
  std::vector<float> x(1000);
  std::iota(x.begin(), x.end(), 0.0f);
  bench.tensor("x", x);
  bench.tensor("y", std::vector<float>(1000));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(bench.run(scale_launch(1000))));
  const std::vector<float> y = bench.values_of("y", 1000);
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[999], 1998);
}

TEST(Vgpu, ClearsABufferAsAStep) {
  Bench bench;
  bench.tensor("x", {1, 2, 3});
  const BoundStep steps[] = {BoundZero{bench.binding.addresses["x"], 8}};
  ASSERT_TRUE(bench.device().run(bench.module(), {.steps = steps}).has_value());
  EXPECT_EQ(bench.values_of("x", 3), (std::vector<float>{0, 0, 3}));
  const Result<TimeReport> report = bench.device().time(bench.module(), {.steps = steps});
  ASSERT_TRUE(report.has_value());
  EXPECT_GT(report->nanoseconds, 0);
  EXPECT_TRUE(report->launches.empty());
}

TEST(Vgpu, ReportsAnAccessBeyondATensorWithItsLine) {
  Bench bench;
  bench.tensor("x", std::vector<float>(100));
  bench.tensor("y", std::vector<float>(128));
  const Mishap mishap = bench.run(scale_launch(128), Inspect::kCheck);
  ASSERT_TRUE(std::holds_alternative<Crashed>(mishap));
  const auto& crashed = std::get<Crashed>(mishap);
  EXPECT_EQ(crashed.fault, FaultKind::kMemory);
  EXPECT_EQ(crashed.kernel, "scale");
  EXPECT_NE(crashed.message.find("tensor x"), std::string::npos) << crashed.message;
  EXPECT_EQ(crashed.spot.line, 7);
}

TEST(Vgpu, KnowsWhichPoisonedBytesNobodyWrote) {
  Bench bench;
  bench.tensor("x", std::vector<float>(128));
  bench.tensor("y", std::vector<float>(128));
  const std::vector<float> poison(128, -1.0f);
  const std::uint64_t y = bench.binding.addresses["y"];
  Buffers& buffers = bench.device().buffers();
  ASSERT_TRUE(buffers.poison(y, std::as_bytes(std::span(poison))).has_value());
  EXPECT_EQ(buffers.first_undefined(y, 512), 0u);
  bench.run(scale_launch(100), Inspect::kCheck);
  EXPECT_EQ(buffers.first_undefined(y, 512), 400u);
  EXPECT_EQ(buffers.first_undefined(y, 400), std::nullopt);
}

TEST(Vgpu, FindsUseOfPoisonInCheckModeOnly) {
  Bench bench;
  bench.tensor("x", std::vector<float>(128));
  bench.tensor("y", std::vector<float>(128));
  const auto poison_flag = [&] {
    const std::vector<float> poison(1, 1.0f);
    Buffers& buffers = bench.device().buffers();
    ASSERT_TRUE(
        buffers.poison(bench.binding.addresses["x"], std::as_bytes(std::span(poison))).has_value());
  };
  const Launch spin = launch_of("spin", {1, 1}, {1, 1}, {{std::string("x")}});
  poison_flag();
  const Mishap checked = bench.run(spin, Inspect::kCheck);
  ASSERT_TRUE(std::holds_alternative<Crashed>(checked));
  EXPECT_EQ(std::get<Crashed>(checked).fault, FaultKind::kUninitialised);
  poison_flag();
  EXPECT_TRUE(std::holds_alternative<std::monostate>(bench.run(spin)));
}

TEST(Vgpu, EndsARunawayKernelByItsBudget) {
  Bench bench;
  bench.tensor("x", {0});
  const Mishap mishap = bench.run(launch_of("spin", {1, 1}, {32, 1}, {{std::string("x")}}),
                                  Inspect::kValues, 100'000);
  ASSERT_TRUE(std::holds_alternative<TimedOut>(mishap));
  EXPECT_EQ(std::get<TimedOut>(mishap).limit, 100'000);
  EXPECT_EQ(std::get<TimedOut>(mishap).unit, "instructions");
  EXPECT_EQ(std::get<TimedOut>(mishap).phase, "check");
}

TEST(Vgpu, RefusesALaunchThatNoSmCanHold) {
  Bench bench;
  bench.tensor("y", std::vector<float>(64));
  Launch launch = launch_of("dynamic", {1, 1}, {64, 1}, {{std::string("y")}});
  launch.shared_bytes = Expr(227 * 1024 + 16 - 16);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(bench.run(launch)));
  EXPECT_EQ(bench.values_of("y", 64)[0], 63);
  BoundStep step = bench.bind(launch);
  std::get<BoundLaunch>(step).shape.shared_bytes += 16;
  const Result<Mishap> mishap = bench.device().run(bench.module(), {.steps = {&step, 1}});
  ASSERT_TRUE(mishap.has_value());
  ASSERT_TRUE(std::holds_alternative<Crashed>(*mishap));
  EXPECT_EQ(std::get<Crashed>(*mishap).fault, FaultKind::kOutOfResources);
  EXPECT_NE(std::get<Crashed>(*mishap).message.find("has 232448"), std::string::npos);
}

TEST(Vgpu, RefusesMoreThreadsThanTheRegistersAllow) {
  build::Binary binary = test_binary();
  for (build::KernelResources& resources : binary.resources) resources.registers = 128;
  const std::unique_ptr<Device> device = *open_vgpu("h200", nullptr);
  auto loaded = device->load(binary);
  ASSERT_TRUE(loaded.has_value());
  BoundLaunch launch{.kernel = "dynamic", .parameters = std::vector<std::byte>(8)};
  launch.shape.block[0] = 1024;
  const BoundStep steps[] = {launch};
  const Result<Mishap> mishap =
      device->run(*std::get<std::unique_ptr<Loaded>>(*loaded), {.steps = steps});
  ASSERT_TRUE(mishap.has_value());
  ASSERT_TRUE(std::holds_alternative<Crashed>(*mishap));
  EXPECT_NE(std::get<Crashed>(*mishap).message.find("allow 512 threads"), std::string::npos)
      << std::get<Crashed>(*mishap).message;
}

TEST(Vgpu, NamesTheInstructionThatItCannotExecute) {
  build::Binary binary;
  binary.ptx =
      ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
      "wgmma.fence.sync.aligned;\nret;\n}\n";
  binary.signatures = {{.kernel = "k"}};
  const auto loaded = (*open_vgpu("h200", nullptr))->load(binary);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  ASSERT_TRUE(std::holds_alternative<Crashed>(*loaded));
  EXPECT_EQ(std::get<Crashed>(*loaded).fault, FaultKind::kUnsupported);
  EXPECT_NE(std::get<Crashed>(*loaded).message.find("wgmma.fence"), std::string::npos);
  EXPECT_EQ(std::get<Crashed>(*loaded).spot.line, 6);
}

TEST(Vgpu, CountsAStreamingKernelExactly) {
  constexpr std::int64_t kCount = 1 << 16;
  Bench bench;
  bench.tensor("x", std::vector<float>(kCount));
  bench.tensor("y", std::vector<float>(kCount));
  const TimeReport report = bench.time(scale_launch(kCount));
  ASSERT_EQ(report.launches.size(), 1u);
  const MetricSet& metrics = report.launches[0].metrics;
  EXPECT_EQ(metrics.get(metric::kGlobalLoadRequests), kCount / 32);
  EXPECT_EQ(metrics.get(metric::kGlobalLoadSectors), kCount / 8);
  EXPECT_EQ(metrics.get(metric::kDramRead), kCount * 4);
  EXPECT_EQ(metrics.get(metric::kDramWrite), 0);  // all of it is still in the L2
  EXPECT_EQ(metrics.get(metric::kFmul), kCount);
  EXPECT_EQ(metrics.get(metric::kLoadUnitStride), 100);
  EXPECT_EQ(report.nanoseconds, report.launches[0].nanoseconds);
  bool found = false;
  for (const LineProfile& line : report.launches[0].lines)
    found |= line.line == 7 && line.global_sectors > 0;
  EXPECT_TRUE(found);
}

TEST(Vgpu, ASampleTellsWhatTheWholeGridTells) {
  constexpr std::int64_t kCount = 1 << 20;
  Bench bench;
  bench.tensor("x", std::vector<float>(kCount));
  bench.tensor("y", std::vector<float>(kCount));
  const TimeReport all = bench.time(scale_launch(kCount));
  const TimeReport some = bench.time(scale_launch(kCount), 512);
  EXPECT_LT(*some.launches[0].metrics.get(metric::kSampledPct), 30);
  EXPECT_NEAR(some.nanoseconds, all.nanoseconds, 0.05 * all.nanoseconds);
  EXPECT_NEAR(*some.launches[0].metrics.get(metric::kDramRead), 4.0 * kCount, 0.02 * 4 * kCount);
}

double time_transpose(const char* kernel) {
  constexpr std::int64_t kSide = 2048;
  Bench bench;
  bench.tensor("x", std::vector<float>(kSide * kSide));
  bench.tensor("y", std::vector<float>(kSide * kSide));
  const Launch launch = launch_of(kernel, {kSide / 32, kSide / 32}, {32, 8},
                                  {{std::string("x")}, {std::string("y")}, {Expr(kSide)}});
  const TimeReport report = bench.time(launch, 1024);
  const double overhead = 2000;
  return report.nanoseconds - overhead;
}

TEST(Vgpu, PaddingTheTileOfATransposePays) {
  EXPECT_GT(time_transpose("transpose32"), 1.5 * time_transpose("transpose33"));
}

}  // namespace
}  // namespace kp::device
