// SPDX-License-Identifier: Apache-2.0
#include "mcp/workplace.h"

#include <gtest/gtest.h>

#include "task/task.h"

namespace kp::mcp {
namespace {

/// A call that can be cancelled.
class PlainCall final : public Call {
 public:
  const StopFlag& stop() const override { return stop_; }
  void progress(double, std::optional<double>, std::string_view) override {}
  Result<Path> admit(const std::string& path) override { return Path(path); }
  void also_stop(StopFlag* other) override { other_ = other; }
  void cancel() {
    stop_.request();
    if (other_) other_->request();
  }

 private:
  StopFlag stop_;
  StopFlag* other_ = nullptr;
};

class WorkplaceTest : public ::testing::Test {
 protected:
  loop::Workshop* open(const std::string& device = "") {
    auto task = task::read_task(Path(KP_SOURCE_DIR) / "src/mcp/testdata/twice.cu");
    EXPECT_TRUE(task) << task.error().text();
    auto shop = place_.for_task(*std::move(task), device);
    EXPECT_TRUE(shop) << shop.error().text();
    return shop ? *shop : nullptr;
  }
  Result<loop::Judged> judge(loop::Workshop& shop) {
    const auto baseline = task::make_candidate(shop.task(), *shop.task().baseline, "twice.cu");
    return loop::HarnessJudge(*shop.harness, *shop.device).judge(*baseline, Depth::kQuick, {});
  }
  Workplace place_{{"vgpu", {}, "0"}};
};

TEST_F(WorkplaceTest, WhatIsOpenStaysOpenForTheNextCall) {
  PlainCall first, second;
  const loop::Workshop* shop = nullptr;
  {
    const Workplace::Shift shift(place_, first);
    shop = open();
  }
  const Workplace::Shift shift(place_, second);
  EXPECT_EQ(open(), shop);
}

TEST_F(WorkplaceTest, OneDeviceServesAllItsNamesAndTasks) {
  PlainCall call;
  const Workplace::Shift shift(place_, call);
  const auto device = open()->device;
  EXPECT_EQ(open("vgpu")->device, device);
  EXPECT_EQ(open(device->describe().name)->device, device);
}

TEST_F(WorkplaceTest, ACancelledShiftEndsWhatTheDeviceDoesAndClosesIt) {
  std::weak_ptr<device::Device> before;
  {
    PlainCall call;
    const Workplace::Shift shift(place_, call);
    loop::Workshop* shop = open();
    before = shop->device;
    call.cancel();
    const auto judged = judge(*shop);
    EXPECT_FALSE(judged && judged->evaluation.measured());
  }
  EXPECT_TRUE(before.expired());
  PlainCall next;
  const Workplace::Shift shift(place_, next);
  const auto judged = judge(*open());
  ASSERT_TRUE(judged) << judged.error().text();
  EXPECT_TRUE(judged->evaluation.measured());
}

}  // namespace
}  // namespace kp::mcp
