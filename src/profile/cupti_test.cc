// SPDX-License-Identifier: Apache-2.0
#include "profile/cupti.h"

#include <gtest/gtest.h>

#include <set>

#include "device/idle_hardware.h"
#include "device/launch_times.h"
#include "profile/metric_sets.h"

namespace kp::profile {
namespace {

/// Hardware that answers `count` as it is told and remembers what it was asked.
class Counting : public device::IdleHardware {
 public:
  Result<device::CountReport> answer = device::CountReport{};
  std::size_t asked = 0;

  Result<device::CountReport> count(device::Loaded&, const device::CountRequest& request) override {
    asked = request.metrics.size();
    return answer;
  }
};

struct Scene {
  build::Binary binary;
  device::Description device{.name = "NVIDIA H200", .timing = Grade::kMeasured};
  std::vector<device::BoundStep> steps{device::BoundZero{}, device::BoundLaunch{.kernel = "k"}};
  device::TimeReport timing;
  Counting hardware;
  device::Loaded loaded;
  ProfileRequest request{binary, device, steps, timing, "small", &hardware, &loaded};

  Profile collected() {
    Profile profile{.kernels = {{.kernel = "k", .launch = 1}}};
    EXPECT_TRUE(cupti_source()->collect(request, profile));
    return profile;
  }
};

device::LaunchReport launch_with(const MetricKey& key, double value) {
  device::LaunchReport report{.kernel = "k", .step = 1};
  report.metrics.set(key, value, Grade::kMeasured);
  return report;
}

TEST(CuptiSource, BringsMeasuredCountersToTheirLaunch) {
  Scene scene;
  scene.hardware.answer = device::CountReport{.launches = {launch_with(metric::kDramRead, 7)}};
  const Profile profile = scene.collected();
  EXPECT_EQ(profile.kernels[0].metrics.get(metric::kDramRead), 7);
  EXPECT_EQ(profile.kernels[0].metrics.find(metric::kDramRead.name)->grade, Grade::kMeasured);
  EXPECT_FALSE(profile.kernels[0].metrics.get(metric::kDramWrite));
  EXPECT_TRUE(profile.notes.empty());
}

TEST(CuptiSource, AsksForAllCountersWhereTheEffortIsFull) {
  Scene scene;
  scene.collected();
  EXPECT_EQ(scene.hardware.asked, triage_metrics().size());
  scene.request.effort = ProfileRequest::Effort::kFull;
  scene.collected();
  EXPECT_EQ(scene.hardware.asked, full_metrics().size());
}

TEST(CuptiSource, MakesATimelineOfRunsOfSeveralLaunches) {
  Scene scene;
  EXPECT_FALSE(scene.collected().timeline);
  scene.steps = {device::BoundLaunch{.kernel = "k"}, device::BoundLaunch{.kernel = "k"}};
  scene.request.steps = scene.steps;
  device::CountReport report{
      .launches = {launch_with(device::kLaunchStart, 0), launch_with(device::kLaunchStart, 900)}};
  report.launches[0].metrics.set(device::kLaunchEnd, 700, Grade::kMeasured);
  report.launches[1].metrics.set(device::kLaunchEnd, 1000, Grade::kMeasured);
  scene.hardware.answer = report;
  const Profile profile = scene.collected();
  EXPECT_EQ(scene.hardware.asked, triage_metrics().size() + 2);
  ASSERT_TRUE(profile.timeline);
  EXPECT_EQ(profile.timeline->window_ns, 1000);
  EXPECT_EQ(profile.timeline->busy_ns, 800);
  EXPECT_EQ(profile.timeline->launches, 2);
  EXPECT_FALSE(profile.kernels[0].metrics.get(device::kLaunchStart));
}

TEST(CuptiSource, NotesWhyThereAreNoCounters) {
  Scene scene;
  scene.hardware.answer =
      fail(ErrorCode::kUnavailable, "counters are forbidden", "ask the administrator");
  const Profile profile = scene.collected();
  ASSERT_EQ(profile.notes.size(), 1u);
  EXPECT_NE(profile.notes[0].find("counters are forbidden"), std::string::npos);
  EXPECT_NE(profile.notes[0].find("ask the administrator"), std::string::npos);
  EXPECT_TRUE(profile.kernels[0].metrics.all().empty());
}

TEST(CuptiSource, NotesACrashThatOnlyCountingBroughtAbout) {
  Scene scene;
  scene.hardware.answer = device::CountReport{.mishap = Crashed{.message = "kernel k: a trap"},
                                              .launches = {launch_with(metric::kDramRead, 7)}};
  const Profile profile = scene.collected();
  EXPECT_EQ(profile.notes, std::vector<std::string>{"counting ended early: kernel k: a trap"});
  EXPECT_TRUE(profile.kernels[0].metrics.all().empty());
}

TEST(CuptiSource, IsSilentOnDevicesWithoutHardware) {
  Scene scene;
  scene.request.hardware = nullptr;
  EXPECT_TRUE(scene.collected().kernels[0].metrics.all().empty());
  EXPECT_FALSE(cupti_source()->serves({.timing = Grade::kModelled}));
}

TEST(MetricSets, AskForEachCounterOnceAndForAllOfTheTriage) {
  std::set<std::string_view> names;
  for (const MetricKey& key : full_metrics())
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
  for (const MetricKey& key : triage_metrics()) EXPECT_TRUE(names.contains(key.name)) << key.name;
}

TEST(MetricSets, HoldOnlyWhatHardwareCounts) {
  for (const MetricKey& key : full_metrics()) {
    EXPECT_FALSE(key.name.starts_with("kp__")) << key.name;
    EXPECT_FALSE(key.name.starts_with("launch__")) << key.name;
  }
}

}  // namespace
}  // namespace kp::profile
