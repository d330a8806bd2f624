// SPDX-License-Identifier: Apache-2.0
#include "profile/nvml.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "device/idle_hardware.h"

namespace kp::profile {
namespace {

/// A GPU of 400 W whose runs take a time that is known.
class SteadyGpu : public device::IdleHardware {
 public:
  Result<device::SeriesReport> series(device::Loaded&,
                                      const device::SeriesRequest& request) override {
    device::SeriesReport report;
    for (const device::Lap& lap : request.laps) {
      const double ns = run_ns * static_cast<double>(lap.sets.size());
      report.laps.push_back({ns, 1.7e9});
      joules += 400 * ns * 1e-9;
    }
    if (crashes) report.mishap = Crashed{};
    return report;
  }
  device::GpuState state() override { return {.joules = joules}; }

  double run_ns = 1e6, joules = 5000;
  bool crashes = false;
};

class NvmlTest : public testing::Test {
 protected:
  NvmlTest() { timing_.nanoseconds = gpu_.run_ns; }
  ~NvmlTest() override { unsetenv("KERNELPRO_ENERGY"); }

  MetricSet collected(ProfileRequest::Effort effort = ProfileRequest::Effort::kFull) {
    Profile profile{.kernels = std::vector<KernelProfile>(kernels_)};
    const auto source = nvml_source();
    EXPECT_TRUE(source->collect({.binary = binary_,
                                 .device = device_,
                                 .steps = steps_,
                                 .timing = timing_,
                                 .workload = "w",
                                 .hardware = &gpu_,
                                 .loaded = &loaded_,
                                 .effort = effort},
                                profile));
    return profile.kernels[0].metrics;
  }

  SteadyGpu gpu_;
  device::Loaded loaded_;
  build::Binary binary_;
  device::Description device_{.timing = Grade::kMeasured};
  std::vector<device::BoundStep> steps_{device::BoundLaunch{}};
  device::TimeReport timing_;
  std::size_t kernels_ = 1;
};

TEST_F(NvmlTest, TellsTheClockAtFullEffortAlone) {
  EXPECT_EQ(collected().get(metric::kSmClock), 1.7e9);
  EXPECT_EQ(collected().find(metric::kSmClock.name)->grade, Grade::kMeasured);
  EXPECT_TRUE(collected(ProfileRequest::Effort::kTriage).all().empty());
}

TEST_F(NvmlTest, EnergyIsUnknownUnlessAskedFor) { EXPECT_FALSE(collected().get(kEnergy)); }

TEST_F(NvmlTest, EnergyIsThatOfOneRun) {
  setenv("KERNELPRO_ENERGY", "1", 1);
  ASSERT_TRUE(collected().get(kEnergy));
  EXPECT_NEAR(*collected().get(kEnergy), 0.4, 1e-9);
}

TEST_F(NvmlTest, EnergyOfAWindowThatCameOutShortIsUnknown) {
  setenv("KERNELPRO_ENERGY", "1", 1);
  gpu_.run_ns = 5e5;  // half of what the timing said
  EXPECT_FALSE(collected().get(kEnergy));
}

TEST_F(NvmlTest, EnergyOfSeveralLaunchesIsNotShared) {
  setenv("KERNELPRO_ENERGY", "1", 1);
  kernels_ = 2;
  EXPECT_FALSE(collected().get(kEnergy));
}

TEST_F(NvmlTest, NothingIsKnownAfterACrash) {
  gpu_.crashes = true;
  EXPECT_TRUE(collected().all().empty());
}

TEST(NvmlSource, ServesRealGpusAlone) {
  EXPECT_FALSE(nvml_source()->serves({.timing = Grade::kModelled}));
}

}  // namespace
}  // namespace kp::profile
