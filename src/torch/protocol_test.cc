// SPDX-License-Identifier: Apache-2.0
#include "torch/protocol.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kp::torch {
namespace {

using Json = nlohmann::json;

Json description() {
  return {{"inputs",
           {{{"name", "x"},
             {"dtype", "float32"},
             {"shape", {2, 3}},
             {"spread", {{"least", "-inf"}, {"most", 1}, {"mean", "nan"}, {"deviation", 0.5}}}},
            {{"name", "s"}, {"dtype", "float"}, {"shape", Json::array()}, {"number", 3.14}}}},
          {"weights", Json::array()},
          {"outputs", {{{"name", "out"}, {"dtype", "int64"}, {"shape", Json::array()}}}},
          {"contraction_flops", 24.0},
          {"other_flops", nullptr},
          {"unused", {"w"}},
          {"random", true}};
}

TEST(Description, IsReadWhole) {
  const auto read = description_from(description());
  ASSERT_TRUE(read.has_value()) << read.error().text();
  EXPECT_EQ(read->inputs[0].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(read->inputs[0].spread->least, -INFINITY);
  EXPECT_TRUE(std::isnan(read->inputs[0].spread->mean));
  EXPECT_FALSE(read->inputs[0].number.has_value());
  EXPECT_EQ(read->inputs[1].number, 3.14);
  EXPECT_EQ(read->outputs[0].dtype, "int64");
  EXPECT_EQ(read->contraction_flops, 24.0);
  EXPECT_FALSE(read->other_flops.has_value());
  EXPECT_EQ(read->unused, std::vector<std::string>{"w"});
  EXPECT_TRUE(read->random);
}

TEST(Description, WithAMemberOfAnotherTypeIsCorrupt) {
  for (const char* key : {"inputs", "weights", "outputs"}) {
    Json broken = description();
    broken[key] = 5;
    const auto read = description_from(broken);
    ASSERT_FALSE(read.has_value()) << key;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(read.error().message.find(key), std::string::npos);
  }
  Json negative = description();
  negative["inputs"][0]["shape"] = {2, -3};
  EXPECT_FALSE(description_from(negative).has_value());
  EXPECT_FALSE(description_from(Json::array()).has_value());
}

TEST(Constants, AreIntegers) {
  EXPECT_EQ(*constants_from({{"constants", {{"N", 4}}}}), (Constants{{"N", 4}}));
  EXPECT_FALSE(constants_from({{"constants", {{"N", 4.5}}}}).has_value());
  EXPECT_FALSE(constants_from({{"constants", 4}}).has_value());
  EXPECT_FALSE(constants_from(Json::object()).has_value());
}

TEST(Timed, HasNanosecondsOrAReason) {
  const auto timed = timed_from(
      {{"nanoseconds", {{"eager", {1000.5, 1001}}}}, {"failures", {{"compile", "no compiler"}}}});
  ASSERT_TRUE(timed.has_value());
  EXPECT_EQ(timed->nanoseconds.at("eager"), (std::vector<double>{1000.5, 1001}));
  EXPECT_EQ(timed->failures.at("compile"), "no compiler");
  EXPECT_FALSE(timed_from({{"nanoseconds", {{"eager", {"soon"}}}}, {"failures", Json::object()}})
                   .has_value());
}

/// What a guest says of itself: its outputs, its clock, its kernels. It may say anything.
Json output(const Json& offset, const Json& shape) {
  return {{"outputs",
           {{{"name", "out"},
             {"dtype", "float32"},
             {"offset", offset},
             {"bytes", 24},
             {"shape", shape}}}}};
}

TEST(RawOutputs, LieWhereAndAsLargeAsTheyAreSaidToBe) {
  const auto outputs = raw_outputs_from(output(64, {2, 3}));
  ASSERT_TRUE(outputs) << outputs.error().text();
  ASSERT_EQ(outputs->size(), 1u);
  EXPECT_EQ(outputs->front().offset, 64u);
  EXPECT_EQ(outputs->front().bytes, 24u);
  EXPECT_EQ(outputs->front().shape, (std::vector<std::int64_t>{2, 3}));
}

TEST(RawOutputs, WithNegativePlacesOrExtentsAreCorrupt) {
  for (const Json& bad : {output(-1, {2}), output("64", {2}), output(64, {-2}), output(64, "2"),
                          Json{{"outputs", 3}}, Json::object()}) {
    const auto outputs = raw_outputs_from(bad);
    ASSERT_FALSE(outputs) << bad.dump();
    EXPECT_EQ(outputs.error().code, ErrorCode::kCorrupt) << bad.dump();
  }
}

TEST(GuestTimes, AreNumbersThatDoNotRunBackwards) {
  EXPECT_EQ(*nanoseconds_from({{"nanoseconds", {5, 7.5}}}), (std::vector<double>{5, 7.5}));
  for (const Json& bad : {Json{{"nanoseconds", {5, -1}}}, Json{{"nanoseconds", {"5"}}},
                          Json{{"nanoseconds", 5}}, Json::object()}) {
    EXPECT_FALSE(nanoseconds_from(bad)) << bad.dump();
  }
}

TEST(GuestKernels, HaveFiniteTimes) {
  const auto said = [](const Json& time) {
    return kernels_from({{"kernels", {{{"name", "k"}, {"nanoseconds", time}, {"launches", 2}}}}});
  };
  const auto kernels = said(30);
  ASSERT_TRUE(kernels) << kernels.error().text();
  EXPECT_EQ(kernels->front().name, "k");
  EXPECT_EQ(kernels->front().launches, 2);
  for (const Json& bad : {Json(-1), Json("inf"), Json("nan"), Json()}) {
    EXPECT_FALSE(said(bad)) << bad.dump();
  }
}

TEST(Distances, KeepWhatIsNotANumber) {
  Json one{{"name", "out"}, {"shape_differs", true}};
  for (const char* key : {"elements", "special", "error_l2", "norm_l2", "response_l2",
                          "eager_error_l2", "beyond_1e4", "beyond_1e2", "worst_index", "got"}) {
    one[key] = 1.5;
  }
  one["expected"] = "nan";
  const auto distances = distances_from({{"outputs", {one}}});
  ASSERT_TRUE(distances) << distances.error().text();
  EXPECT_TRUE(distances->front().shape_differs);
  EXPECT_DOUBLE_EQ(distances->front().error_l2, 1.5);
  EXPECT_TRUE(std::isnan(distances->front().expected));
  one.erase("norm_l2");
  EXPECT_FALSE(distances_from({{"outputs", {one}}}));
}

TEST(Failure, KeepsItsKind) {
  const auto code = [](const char* kind) {
    return failure_from({{"ok", false}, {"kind", kind}, {"message", "m"}, {"hint", "h"}}).code;
  };
  EXPECT_EQ(code("unsupported"), ErrorCode::kUnsupported);
  EXPECT_EQ(code("invalid"), ErrorCode::kInvalidInput);
  EXPECT_EQ(code("memory"), ErrorCode::kLimit);
  EXPECT_EQ(code("unavailable"), ErrorCode::kUnavailable);
  EXPECT_EQ(code("failed"), ErrorCode::kCorrupt);
  EXPECT_EQ(failure_from({{"ok", false}}).code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace kp::torch
