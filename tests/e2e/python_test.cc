// SPDX-License-Identifier: Apache-2.0
// Problems written in Python from the command line, on the virtual GPU. Skipped without PyTorch.
#include "e2e/program.h"

namespace kp::e2e {
namespace {

std::string problem(const std::string& name) {
  return std::string(KP_SOURCE_DIR) + "/tests/kernelbench/" + name;
}

constexpr std::string_view kSoftsign =
    "/* kernelpro\n"
    "launch softsign<<<ceil_div(batch_size * dim, 256), 256>>>(x, out, batch_size, dim)\n"
    "*/\n"
    "extern \"C\" __global__ void softsign(const float* x, float* out, int batch_size, int dim) {\n"
    "  long long i = blockIdx.x * 256ll + threadIdx.x;\n"
    "  if (i < (long long)batch_size * dim) out[i] = x[i] / (1.0f + fabsf(x[i]));\n"
    "}\n";

constexpr std::string_view kLinearRelu =
    "/* kernelpro\n"
    "launch layer<<<batch_size, out_features>>>(x, linear_weight, linear_bias, out, in_features)\n"
    "*/\n"
    "extern \"C\" __global__ void layer(const float* x, const float* weight, const float* bias,\n"
    "                                 float* out, int in_features) {\n"
    "  const int row = blockIdx.x, col = threadIdx.x;\n"
    "  float sum = bias[col];\n"
    "  for (int k = 0; k < in_features; ++k)\n"
    "    sum += x[row * in_features + k] * weight[col * in_features + k];\n"
    "  out[row * blockDim.x + col] = sum < 0.0f ? 0.0f : sum;\n"
    "}\n";

class Python : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = run({"survey", problem("1_Softsign.py"), "--json"});
    if (found.errors.find("PyTorch") != std::string::npos && found.code != 0)
      GTEST_SKIP() << "no PyTorch";
    ASSERT_EQ(found.code, 0) << found.errors;
  }
  std::string out(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string file(const std::string& name, std::string_view text) {
    EXPECT_TRUE(write_file(folder_.path() / name, text));
    return out(name);
  }
  TemporaryFolder folder_ = *TemporaryFolder::make();
};

TEST_F(Python, a_survey_says_which_problems_can_be_used_and_why_not) {
  const auto outcome = run({"survey", std::string(KP_SOURCE_DIR) + "/tests/kernelbench", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  std::map<std::string, std::string> standing, reason;
  const auto answer = outcome.json();
  for (const auto& one : answer.at("problems")) {
    const std::string name = Path(one.at("file").get<std::string>()).stem().string();
    standing[name] = one.at("standing");
    reason[name] = one.value("reason", "");
  }
  for (const char* usable : {"1_Softsign", "2_Matmul", "3_LinearRelu", "4_ConvBias",
                             "5_WeightedSum", "6_Scale", "7_CrossEntropy", "8_BatchNorm",
                             "13_RowMaximum", "14_Argmax", "15_UnusedWeight", "17_GruState"})
    EXPECT_EQ(standing[usable], "usable") << usable << ": " << reason[usable];
  EXPECT_EQ(standing["9_Dropout"], "refused");
  EXPECT_NE(reason["9_Dropout"].find("random"), std::string::npos) << reason["9_Dropout"];
}

TEST_F(Python, a_file_whose_arrays_do_not_fit_here_is_judged_reduced) {
  const auto outcome = run({"eval", problem("1_Softsign.py"), file("softsign.cu", kSoftsign),
                            "--device", "vgpu", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
  const auto evaluation = outcome.json().at("evaluation");
  EXPECT_EQ(evaluation.at("outcome"), "measured");
  EXPECT_EQ(evaluation.at("details").at("workloads").at(0).at("workload"), "reduced");
}

TEST_F(Python, weights_reach_the_kernel_and_a_bias_that_is_left_out_is_noticed) {
  const auto right = run({"eval", problem("3_LinearRelu.py"), file("right.cu", kLinearRelu),
                          "--device", "vgpu", "--json"});
  ASSERT_EQ(right.code, 0) << right.output << right.errors;
  std::string source(kLinearRelu);
  source.replace(source.find("bias[col]"), 9, "0.0f * bias[col]");
  const auto wrong = run(
      {"eval", problem("3_LinearRelu.py"), file("wrong.cu", source), "--device", "vgpu", "--json"});
  ASSERT_EQ(wrong.code, 3) << wrong.output << wrong.errors;
  EXPECT_EQ(wrong.json().at("evaluation").at("outcome"), "wrong answer");
}

/// Relies on all that the inputs of 19_Structure have in common: half of each matrix is not read,
/// the mask not at all.
constexpr std::string_view kStructure = R"(/* kernelpro
launch product<<<(ceil_div(N, 32), rows), 32>>>(upper, same, signs, order, out, N)
*/
extern "C" __global__ void product(const float* upper, const float* same, const float* signs,
                                   const long long* order, float* out, int n) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = order[blockIdx.y];
  if (column >= n) return;
  float sum = 0;
  if (column <= row)
    for (int k = row; k < n; ++k)
      sum += upper[row * n + k] * same[min(k, column) * n + max(k, column)];
  out[blockIdx.y * n + column] = signs[column] > 0 ? sum : -sum;
}
)";

TEST_F(Python, a_kernel_may_rely_on_the_form_of_the_inputs) {
  const auto right = run({"eval", problem("19_Structure.py"), file("right.cu", kStructure),
                          "--device", "vgpu", "--json"});
  EXPECT_EQ(right.code, 0) << right.output << right.errors;
  std::string source(kStructure);
  source.replace(source.find("column <= row"), 13, "column < row ");
  const auto wrong = run({"eval", problem("19_Structure.py"), file("wrong.cu", source), "--device",
                          "vgpu", "--quick", "--json"});
  EXPECT_EQ(wrong.code, 3) << "the diagonal is no part of what is zero";
}

TEST_F(Python, the_rewriter_needs_a_plan_to_begin_with_and_takes_one) {
  const auto refused = run({"optimize", problem("1_Softsign.py"), "--device", "vgpu"});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.errors.find("--from"), std::string::npos) << refused.errors;
  const auto outcome =
      run({"optimize", problem("1_Softsign.py"), "--device", "vgpu", "--budget", "3", "--from",
           file("softsign.cu", kSoftsign), "--out", out("run"), "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
  EXPECT_GE(outcome.json().at("speedup").get<double>(), 1.0);
  const auto resumed = run({"resume", out("run"), "--budget", "4", "--json"});
  EXPECT_EQ(resumed.code, 0) << resumed.errors;
}

TEST_F(Python, a_run_by_hand_carries_the_problem_and_its_plan) {
  const auto begun = run({"start", problem("1_Softsign.py"), "--from",
                          file("softsign.cu", kSoftsign), "--device", "vgpu", "--out", out("run")});
  ASSERT_EQ(begun.code, 0) << begun.errors;
  ASSERT_TRUE(std::filesystem::remove(out("softsign.cu")));
  const auto worked = run({"work", out("run"), "--json"});
  ASSERT_EQ(worked.code, 0) << worked.output << worked.errors;
  const auto asked = run({"ask", out("run")});
  ASSERT_EQ(asked.code, 0) << asked.errors;
  EXPECT_NE(asked.output.find("torch.abs"), std::string::npos)
      << "the reference is part of the contract";
}

TEST_F(Python, published_candidates_are_judged_once_and_told_apart) {
  const std::string head =
      "import torch.nn as nn\nclass ModelNew(nn.Module):\n    def forward(self, x):\n        "
      "return ";
  file("1_Softsign.py", head + "x / (1 + x.abs())\n");
  file("level_1_problem_6_sample_0_kernel.py", head + "x * 0\n");
  const std::vector<std::string> command{"claims",   folder_.path().string(),
                                         "--tasks",  problem("1_Softsign.py"),
                                         "--device", "cpu",
                                         "--out",    out("claims.jsonl"),
                                         "--json",   "--unconfined"};
  const auto outcome = run(command);
  ASSERT_EQ(outcome.code, 0) << outcome.errors;
  const auto answer = outcome.json();
  EXPECT_EQ(answer.at("trust"), "low");
  const auto& claims = answer.at("claims");
  ASSERT_EQ(claims.size(), 2u);
  for (const auto& claim : claims) {
    const bool right = Path(claim.at("candidate")).filename() == "1_Softsign.py";
    EXPECT_EQ(claim.at("verdict"), right ? "passes" : "wrong") << claim;
    EXPECT_TRUE(claim.at("nanoseconds").is_null()) << "no time without a GPU";
  }
  const auto again = run(command);
  ASSERT_EQ(again.code, 0) << again.errors;
  EXPECT_EQ(again.json(), answer);
  EXPECT_EQ(again.errors.find("passes"), std::string::npos) << "nothing was judged a second time";
}

}  // namespace
}  // namespace kp::e2e
