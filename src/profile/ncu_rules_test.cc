// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu_rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "device/idle_hardware.h"

namespace kp::profile {
namespace {

using Effort = ProfileRequest::Effort;

/// Has a page that Nsight Compute wrote on an H200 (testdata/ncu/README.md), or has none.
class RuledGpu : public device::IdleHardware {
 public:
  std::string page = *read_text(Path(KP_SOURCE_DIR) / "src/profile/testdata/ncu/details.csv");
  int asked = 0;

  Result<std::string> rules(device::Loaded& loaded, const device::RulesRequest& request) override {
    ++asked;
    return page.empty() ? IdleHardware::rules(loaded, request) : page;
  }
};

class NcuRulesTest : public testing::Test {
 protected:
  Profile collected(bool wanted = true, Effort effort = Effort::kFull) {
    Profile profile;
    EXPECT_TRUE(ncu_rules_source()->collect({.binary = binary_,
                                             .device = device_,
                                             .steps = steps_,
                                             .timing = timing_,
                                             .workload = "w",
                                             .hardware = &gpu_,
                                             .loaded = &loaded_,
                                             .effort = effort,
                                             .vendor_rules = wanted},
                                            profile));
    return profile;
  }

  build::Binary binary_;
  device::Description device_{.name = "NVIDIA H200", .timing = Grade::kMeasured};
  std::vector<device::BoundStep> steps_{device::BoundLaunch{.kernel = "add"}};
  device::TimeReport timing_;
  RuledGpu gpu_;
  device::Loaded loaded_;
};

TEST_F(NcuRulesTest, TellsEveryRuleWithItsKernelAndEstimate) {
  const Profile profile = collected();
  ASSERT_FALSE(profile.rules.empty());
  EXPECT_TRUE(profile.notes.empty());
  for (const RuleText& rule : profile.rules) {
    EXPECT_EQ(rule.kernel.find('('), std::string::npos) << rule.kernel;
    EXPECT_FALSE(rule.text.empty()) << rule.rule;
  }
  const auto estimated = [](const RuleText& rule) {
    return rule.text.find("(estimated global speedup: ") != std::string::npos;
  };
  EXPECT_TRUE(std::ranges::any_of(profile.rules, estimated));
}

TEST_F(NcuRulesTest, AsksOnlyWhereTheyAreWantedAndForFullProfiles) {
  EXPECT_TRUE(collected(false).rules.empty());
  EXPECT_TRUE(collected(true, Effort::kTriage).rules.empty());
  EXPECT_EQ(gpu_.asked, 0);
}

TEST_F(NcuRulesTest, WhatCannotBeHadIsANote) {
  gpu_.page.clear();
  EXPECT_EQ(collected().notes,
            std::vector<std::string>{"no rules of Nsight Compute: no rules here"});
  gpu_.page = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n";
  const Profile denied = collected();
  ASSERT_EQ(denied.notes.size(), 1u);
  EXPECT_NE(denied.notes.front().find("ERR_NVGPUCTRPERM"), std::string::npos);
}

TEST(NcuRules, AreNotAskedOfVirtualDevices) {
  EXPECT_FALSE(ncu_rules_source()->serves({.name = "vgpu:h200", .timing = Grade::kModelled}));
}

}  // namespace
}  // namespace kp::profile
