// SPDX-License-Identifier: Apache-2.0
#include "torch/recording.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kp::torch {
namespace {

const Path kTasks = Path(KP_SOURCE_DIR) / "tests" / "kernelbench";

/// Sizes at which everything can be made, by file.
const std::map<std::string, Constants> kSmall = {{"10_Constant", {}},
                                                 {"11_Zero", {}},
                                                 {"12_CumulativeProduct", {}},
                                                 {"13_RowMaximum", {}},
                                                 {"14_Argmax", {}},
                                                 {"15_UnusedWeight", {}},
                                                 {"16_AveragePool", {}},
                                                 {"17_GruState", {}},
                                                 {"18_RmsNorm", {}},
                                                 {"1_Softsign", {{"batch_size", 8}, {"dim", 96}}},
                                                 {"2_Matmul", {{"M", 8}, {"N", 16}}},
                                                 {"3_LinearRelu", {}},
                                                 {"4_ConvBias", {}},
                                                 {"5_WeightedSum", {}},
                                                 {"6_Scale", {}},
                                                 {"7_CrossEntropy", {}},
                                                 {"8_BatchNorm", {}},
                                                 {"9_Dropout", {}}};

struct Known {
  Description whole, small;
};

/// What is said of all of them; the recording of it is made by UPDATE_GOLDENS=1.
const std::map<std::string, Known>& known() {
  static const std::map<std::string, Known> all = [] {
    std::map<std::string, Known> found;
    const auto worker = worker_for_tests(kTasks / "recorded.jsonl");
    EXPECT_TRUE(worker.has_value()) << worker.error().text();
    if (!worker) return found;
    for (const auto& [name, constants] : kSmall) {
      const auto problem = (*worker)->load(kTasks / (name + ".py"));
      EXPECT_TRUE(problem.has_value()) << problem.error().text();
      const auto whole = (*worker)->probe({.problem = problem->number});
      const auto small =
          (*worker)->probe({.problem = problem->number, .constants = constants, .values = true});
      EXPECT_TRUE(whole.has_value() && small.has_value()) << name;
      if (whole && small) found[name] = {*whole, *small};
    }
    return found;
  }();
  return all;
}

std::vector<std::string> names_of(const std::vector<Member>& members) {
  std::vector<std::string> names;
  for (const Member& member : members) names.push_back(member.name);
  return names;
}

using Words = std::vector<std::string>;

TEST(Recorded, NamesInputsWeightsAndOutputs) {
  EXPECT_EQ(names_of(known().at("5_WeightedSum").whole.inputs),
            (Words{"first", "second", "share"}));
  EXPECT_EQ(names_of(known().at("4_ConvBias").whole.weights),
            (Words{"bias", "conv_weight", "conv_bias"}));
  EXPECT_EQ(names_of(known().at("17_GruState").whole.outputs), (Words{"out0", "out1"}));
}

TEST(Recorded, TellsTypesOfWhatIsNoFloat) {
  const Description& loss = known().at("7_CrossEntropy").whole;
  EXPECT_EQ(loss.inputs[1].dtype, "int64");
  EXPECT_TRUE(loss.outputs[0].shape.empty());
  EXPECT_EQ(known().at("14_Argmax").whole.outputs[0].dtype, "int64");
  EXPECT_EQ(known().at("13_RowMaximum").whole.outputs[1].dtype, "int64");
  EXPECT_EQ(known().at("18_RmsNorm").whole.outputs[0].dtype, "bfloat16");
  const Member& scale = known().at("6_Scale").whole.inputs[1];
  EXPECT_EQ(scale.dtype, "float");
  EXPECT_EQ(scale.number, 3.14);
}

TEST(Recorded, CountsTheWork) {
  EXPECT_EQ(known().at("2_Matmul").whole.contraction_flops, 2.0 * 256 * 512 * 128);
  EXPECT_EQ(known().at("3_LinearRelu").whole.contraction_flops, 2.0 * 32 * 256 * 64);
  EXPECT_EQ(known().at("3_LinearRelu").whole.other_flops, 32.0 * 64);
  EXPECT_EQ(known().at("4_ConvBias").whole.contraction_flops, 2.0 * 4 * 8 * 14 * 14 * 27);
  EXPECT_EQ(known().at("14_Argmax").whole.other_flops, 16.0 * 24 * 20);
  EXPECT_EQ(known().at("17_GruState").whole.contraction_flops,
            2.0 * 5 * 3 * 36 * (8 + 12 + 12 + 12));
}

TEST(Recorded, KnowsWhatIsRandom) {
  for (const auto& [name, found] : known())
    EXPECT_EQ(found.small.random, name == "9_Dropout") << name;
}

TEST(Recorded, KnowsWeightsThatNothingDependsOn) {
  EXPECT_EQ(known().at("15_UnusedWeight").small.unused, (Words{"second_weight", "second_bias"}));
  EXPECT_EQ(known().at("8_BatchNorm").small.unused,
            (Words{"bn_running_mean", "bn_running_var", "bn_num_batches_tracked"}));
  EXPECT_EQ(known().at("3_LinearRelu").small.unused, Words{});
  EXPECT_EQ(known().at("17_GruState").small.unused, Words{});
}

TEST(Recorded, ShowsDegenerateOutputsBySpread) {
  EXPECT_EQ(known().at("10_Constant").small.outputs[0].spread->deviation, 0);
  EXPECT_EQ(known().at("11_Zero").small.outputs[0].spread->most, 0);
  const Spread x = *known().at("1_Softsign").small.inputs[0].spread;
  EXPECT_NEAR(x.mean, 0.5, 0.05);
  EXPECT_NEAR(x.deviation, std::sqrt(1.0 / 12), 0.02);
  EXPECT_FALSE(known().at("1_Softsign").whole.inputs[0].spread.has_value());
}

TEST(Replay, SaysThatItIsOne) {
  const auto worker = replayed_worker(kTasks / "recorded.jsonl");
  ASSERT_TRUE(worker.has_value()) << worker.error().text();
  EXPECT_TRUE((*worker)->installation().recorded);
}

TEST(Replay, RefusesWhatWasNotAsked) {
  const auto worker = replayed_worker(kTasks / "recorded.jsonl");
  ASSERT_TRUE(worker.has_value());
  const auto problem = (*worker)->load(kTasks / "2_Matmul.py");
  ASSERT_TRUE(problem.has_value());
  const auto probed = (*worker)->probe({.problem = problem->number, .constants = {{"M", 77}}});
  ASSERT_FALSE(probed.has_value());
  EXPECT_EQ(probed.error().code, ErrorCode::kNotFound);
}

TEST(Replay, RefusesAFileThatIsNoRecording) {
  const auto folder = TemporaryFolder::make();
  const Path file = folder->path() / "r.jsonl";
  for (const char* text : {"{", "[]\n", "{\"request\": 5}\n", ""}) {
    ASSERT_TRUE(write_file(file, text).has_value());
    EXPECT_FALSE(replayed_worker(file).has_value()) << text;
  }
  EXPECT_EQ(replayed_worker(folder->path() / "none").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kp::torch
