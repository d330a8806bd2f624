// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "e2e/program.h"

namespace kp::e2e {
namespace {

TEST(Doctor, TellsOfEveryGroupAndHowToGetWhatIsAbsent) {
  const Outcome outcome = run({"doctor", "--json"});
  EXPECT_EQ(outcome.code, 0);
  std::set<std::string> told;
  for (const auto& line : outcome.json()) {
    told.insert(line.at("what").get<std::string>());
    EXPECT_FALSE(line.at("detail").get<std::string>().empty()) << line;
  }
  for (const char* what : {"compiler", "driver", "NVML", "GPU counters", "CUPTI", "ncu", "nvdisasm",
                           "sandbox", "Landlock", "seccomp", "PyTorch", "installation"})
    EXPECT_TRUE(told.contains(what)) << what;
}

TEST(Doctor, CalibratesToASpecThatSaysWhereItsNumbersComeFrom) {
  const auto scratch = *TemporaryFolder::make();
  const std::string file = (scratch.path() / "mine.toml").string();
  const Outcome outcome =
      run({"doctor", "--calibrate", "--device", "vgpu:h200", "--out", file, "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(outcome.json().at("spec"), file);
  EXPECT_GE(outcome.json().at("ceilings").size(), 8u);
  const auto text = read_text(file);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("modelled"), std::string::npos) << "not measured: there was no GPU";
  EXPECT_EQ(text->find("measured 20"), std::string::npos);
  EXPECT_NE(text->find("latency_dram"), std::string::npos) << "what nobody measured stays";
}

TEST(Doctor, RefusesOptionsOfCalibrationWithoutIt) {
  EXPECT_EQ(run({"doctor", "--out", "x.toml"}).code, 2);
}

}  // namespace
}  // namespace kp::e2e
