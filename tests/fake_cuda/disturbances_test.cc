// SPDX-License-Identifier: Apache-2.0
// Candidates that lean on what an earlier launch left, or on having the GPU for themselves.
#include "fixture.h"

namespace kp::device::cuda {
namespace {

class Disturbed : public FakeGpu {
 protected:
  void SetUp() override {
    FakeGpu::SetUp();
    from_ = array({1, 2, 3});
    to_ = array({0, 0, 0});
  }
  bool copies(Device& device, Loaded& module, std::uint64_t seed = 0, bool cooperative = false) {
    const std::vector<float> nothing(3);
    EXPECT_TRUE(device_->buffers().write(to_, std::as_bytes(std::span(nothing))));
    BoundStep step = step_of(to_, from_, 3);
    const kp::Launch together{.cooperative = true};
    if (cooperative) std::get<BoundLaunch>(step).shape.launch = &together;
    EXPECT_TRUE(device.run(module, {.steps = {&step, 1}, .schedule_seed = seed}));
    return values_at(to_, 3) == std::vector<float>{1, 2, 3};
  }

  std::uint64_t from_ = 0, to_ = 0;
};

TEST_F(Disturbed, NothingIsLeftInSharedMemoryWhenACandidateStarts) {
  const std::unique_ptr<Loaded> module = load("remember");
  EXPECT_TRUE(copies(*device_, *module));
  EXPECT_TRUE(copies(*device_, *module));
}

TEST_F(Disturbed, TrustedCodeRunsUndisturbed) {
  Device& trusted = device_->hardware()->trusted();
  auto loaded = trusted.load(binary_of("remember"));
  ASSERT_TRUE(loaded);
  Loaded& module = *std::get<std::unique_ptr<Loaded>>(*loaded);
  EXPECT_TRUE(copies(trusted, module));
  EXPECT_FALSE(copies(trusted, module)) << "this is how a candidate would see its leftovers";
}

TEST_F(Disturbed, ACandidateIsNotAloneUnderAnotherSchedule) {
  const std::unique_ptr<Loaded> module = load("alone");
  EXPECT_TRUE(copies(*device_, *module));
  EXPECT_FALSE(copies(*device_, *module, 5));
  EXPECT_TRUE(copies(*device_, *module)) << "what took the SMs is gone after the run";
}

TEST_F(Disturbed, CooperativeLaunchesGetAllSms) {
  const std::unique_ptr<Loaded> module = load("alone");
  EXPECT_TRUE(copies(*device_, *module, 5, true));
}

TEST_F(Disturbed, LapsStartWithoutLeftovers) {
  const std::unique_ptr<Loaded> module = load("remember");
  EXPECT_TRUE(copies(*device_, *module));
  const std::vector<float> nothing(3);
  ASSERT_TRUE(device_->buffers().write(to_, std::as_bytes(std::span(nothing))));
  const Contender contenders[] = {{.sets = {{step_of(to_, from_, 3)}}}};
  const Lap laps[] = {{0, {0}}};
  ASSERT_TRUE(device_->hardware()->series(*module, {.contenders = contenders, .laps = laps}));
  EXPECT_EQ(values_at(to_, 3), (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace kp::device::cuda
