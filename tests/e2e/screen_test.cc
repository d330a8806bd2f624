// SPDX-License-Identifier: Apache-2.0
// Tasks that can be passed without their work, from the command line.
#include <map>

#include "e2e/program.h"

namespace kp::e2e {
namespace {

/// A task whose every answer is zero, and which its baseline computes rightly.
constexpr const char* kClamped = R"(/* kernelpro
axis   n = 65536
check  n = 501
input  x : f32[n]
output y : f32[n]
precision f32
launch clamp<<<ceil_div(n, 256), 256>>>(x, y, n)
oracle launch exact<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void clamp(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(fminf(x[i], 0.0f), 0.0f);
}
extern "C" __global__ void exact(const double* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmax(fmin(x[i], 0.0), 0.0);
}
)";

class ScreenCommand : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const Path path = folder_.path() / name;
    EXPECT_TRUE(make_folder(path.parent_path()));
    EXPECT_TRUE(write_file(path, text));
    return path.string();
  }
  /// Verdicts by path.
  static std::map<std::string, std::string> verdicts(const Outcome& outcome) {
    std::map<std::string, std::string> found;
    for (const auto& task : outcome.json()) found[task.at("path")] = task.at("verdict");
    return found;
  }
  TemporaryFolder folder_ = *TemporaryFolder::make();
};

std::string problem(const std::string& name) {
  return std::string(KP_SOURCE_DIR) + "/tests/kernelbench/" + name;
}

TEST_F(ScreenCommand, EveryShippedTaskIsSound) {
  std::vector<std::string> command{"screen", "--device", "vgpu", "--json", shipped("smooth.cu")};
  for (const auto& entry : std::filesystem::directory_iterator(shipped(""))) {
    if (entry.is_directory()) command.push_back(entry.path().string());
  }
  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(verdicts(outcome).size(), 15u);
  for (const auto& [path, verdict] : verdicts(outcome)) EXPECT_EQ(verdict, "sound") << path;
}

TEST_F(ScreenCommand, ADegenerateTaskIsNamedBesideSoundOnes) {
  const std::string bad = file("clamped.cu", kClamped);
  const Outcome outcome = run({"screen", "--device", "vgpu", shipped("softmax"), bad});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.output.find("sound       " + shipped("softmax")), std::string::npos);
  EXPECT_NE(outcome.output.find("degenerate  " + bad), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("`y` passes as: zeros, "), std::string::npos);
  EXPECT_NE(outcome.output.find("allclose at 1e-4 lets pass: "), std::string::npos);
}

TEST_F(ScreenCommand, WhatItFoundStandsBesideResultsAfterwards) {
  const std::string bad = file("clamped.cu", kClamped);
  const std::vector<std::string> eval{"eval", bad, "--quick", "--device", "vgpu", "--json"};
  ASSERT_EQ(run({"screen", "--device", "vgpu", bad}).code, 1);
  const Outcome outcome = run(eval);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors.find("note: benchmark-degenerate: screened: `y` passes as: zeros"), 0u)
      << outcome.errors;
  const auto labels = outcome.json().at("evaluation").at("details").at("labels");
  ASSERT_EQ(labels.size(), 1u);
  EXPECT_EQ(labels[0].at("name"), "benchmark-degenerate");
}

TEST_F(ScreenCommand, WhatItFoundIsSaidToThoseWhoDriveARunByHand) {
  const std::string bad = file("clamped.cu", kClamped);
  const std::string out = (folder_.path() / "run").string();
  ASSERT_EQ(run({"screen", "--device", "vgpu", bad}).code, 1);
  for (const auto& command :
       {std::vector<std::string>{"start", bad, "--out", out}, {"work", out, "--device", "vgpu"}}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_NE(outcome.errors.find("note: benchmark-degenerate: screened: `y` passes as: zeros"),
              std::string::npos)
        << command.front() << outcome.errors;
  }
}

TEST_F(ScreenCommand, WhatCannotBeScreenedIsRefusedAndTheOthersGoOn) {
  const Outcome outcome =
      run({"screen", "--device", "vgpu", "--json", "no/such/task", shipped("softmax")});
  EXPECT_EQ(outcome.code, 1);
  const auto list = outcome.json();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].at("verdict"), "refused");
  EXPECT_NE(list[0].at("error").get<std::string>().find("no task at"), std::string::npos);
  EXPECT_EQ(list[1].at("verdict"), "sound");
}

TEST_F(ScreenCommand, EveryAttackHasALine) {
  const Outcome outcome = run({"screen", "--device", "vgpu", "--attacks", shipped("softmax")});
  EXPECT_EQ(outcome.code, 0);
  for (const char* attack : {"zeros: error", "constant: error", "row means: error",
                             "untouched: it holds nothing before", "first tile only: error"})
    EXPECT_NE(outcome.output.find(attack), std::string::npos) << attack << outcome.output;
}

TEST_F(ScreenCommand, PythonProblemsAreScreenedAndLookedUp) {
  const std::string matmul = read_text(problem("2_Matmul.py")).value();
  const std::string listed = file("level1/23_Softmax.py", matmul);
  const Outcome outcome = run({"screen", "--device", "vgpu", "--json", problem("2_Matmul.py"),
                               problem("10_Constant.py"), problem("11_Zero.py"),
                               problem("12_CumulativeProduct.py"), listed});
  EXPECT_EQ(outcome.code, 1);
  const auto list = outcome.json();
  ASSERT_EQ(list.size(), 5u) << outcome.errors;
  const std::string error = list[0].value("error", "");
  if (error.find("PyTorch") != std::string::npos) GTEST_SKIP() << "skipped: " << error;
  EXPECT_EQ(list[4].at("listed").at("quarantine"), true);
  EXPECT_EQ(list[0].at("verdict"), "sound");
  for (const int i : {1, 2, 3})
    EXPECT_EQ(list[static_cast<std::size_t>(i)].at("verdict"), "degenerate") << list[1].at("path");
  EXPECT_EQ(list[4].at("verdict"), "quarantined") << "by its name";
}

}  // namespace
}  // namespace kp::e2e
