// SPDX-License-Identifier: Apache-2.0
// With a guest and a worker in C++: what a GPU would show, and what frauds would say.
#include "suite/hearing.h"

#include <gtest/gtest.h>

#include <functional>

#include "task/problem_fixture.h"

namespace kp::suite {
namespace {

/// Its clock and ours, and how far it is from what is right.
struct FakeGuest final : torch::Guest {
  double nanoseconds = 100e3;  // that it says
  double seconds = 100e-6;     // of one run, by our clock
  std::vector<std::uint64_t> last_seeds;
  std::optional<Error> failure;

  Result<torch::RawOutputs> run(const torch::Draw&) override {
    if (failure) return tl::unexpected<Error>(*failure);
    return torch::RawOutputs{};
  }
  Result<torch::GuestTimes> time(const torch::Draw&, std::uint64_t last, int runs) override {
    last_seeds.push_back(last);
    return torch::GuestTimes{std::vector<double>(static_cast<std::size_t>(runs), nanoseconds), {}};
  }
  Result<double> burst(const torch::Draw&, int runs) override { return 0.01 + seconds * runs; }
  Result<std::vector<torch::GuestKernel>> kernels(const torch::Draw&) override {
    return std::vector<torch::GuestKernel>{{"scale(float*)", 30, 1}, {"sgemm", 70, 1}};
  }
};

/// The n-th comparison finds errors[n], the last of them from then on.
struct ComparingWorker final : task::FakeWorker {
  std::vector<double> errors{1e-7};
  std::size_t compared = 0;
  std::vector<std::uint64_t> seeds;

  Result<std::vector<torch::OutputDistance>> compare(const torch::RawComparison& asked) override {
    seeds.push_back(asked.draw.seed);
    const double error = errors[std::min(compared++, errors.size() - 1)];
    return std::vector<torch::OutputDistance>{
        {.name = "out", .elements = 1, .error_l2 = error, .norm_l2 = 1}};
  }
  Result<torch::Timed> time(const torch::Timing& timing) override {
    return torch::Timed{{{timing.modes.front(), {300e3, 300e3}}}, {}};
  }
};

class HearingTest : public ::testing::Test {
 protected:
  FakeGuest guest_;
  ComparingWorker worker_;
  Claim claim_;
  Hearing hearing_{worker_, guest_, 1, claim_};
  const torch::Draw draw_{{}, 40, {}};
};

TEST_F(HearingTest, times_in_rounds_and_judges_the_last_outputs_of_each) {
  ASSERT_TRUE(hearing_.time(draw_).value());
  EXPECT_EQ(claim_.nanoseconds, 100e3);
  ASSERT_TRUE(claim_.over_eager);
  EXPECT_DOUBLE_EQ(claim_.over_eager->middle, 3);
  EXPECT_EQ(worker_.seeds, guest_.last_seeds) << "what was timed last is what is compared";
  EXPECT_EQ(std::count(worker_.seeds.begin(), worker_.seeds.end(), draw_.seed), 0);
}

TEST_F(HearingTest, finds_a_result_that_was_kept_from_another_run) {
  worker_.errors = {1e-7, 1.4};
  EXPECT_FALSE(hearing_.time(draw_).value());
  EXPECT_EQ(claim_.verdict, ClaimVerdict::kWrong);
  EXPECT_FALSE(claim_.nanoseconds) << "what is wrong has no time";
}

TEST_F(HearingTest, keeps_the_coarsest_class_of_several_runs) {
  worker_.errors = {1e-7, 0.9 * class_gate(Precision::kBf16, false), 1e-7};
  ASSERT_TRUE(hearing_.time(draw_).value());
  EXPECT_EQ(claim_.precision, Precision::kBf16);
  EXPECT_EQ(claim_.verdict, ClaimVerdict::kCoarser);
}

TEST_F(HearingTest, believes_a_clock_that_agrees_with_ours) {
  ASSERT_TRUE(hearing_.time(draw_).value());
  EXPECT_TRUE(hearing_.holds_against_our_clock().value());
  guest_.seconds = 300e-6;  // launches that a flush of the L2 would have hidden
  EXPECT_TRUE(hearing_.holds_against_our_clock().value());
}

TEST_F(HearingTest, finds_a_clock_that_was_patched) {
  guest_.nanoseconds = 1000;
  guest_.seconds = 442e-6;
  ASSERT_TRUE(hearing_.time(draw_).value());
  EXPECT_FALSE(hearing_.holds_against_our_clock().value());
  EXPECT_EQ(claim_.verdict, ClaimVerdict::kForged);
  EXPECT_NE(claim_.reason.find("442.0 us"), std::string::npos) << claim_.reason;
}

TEST_F(HearingTest, finds_a_clock_that_stands_still_however_short_the_runs_are) {
  guest_.nanoseconds = 0;
  guest_.seconds = 5e-6;
  ASSERT_TRUE(hearing_.time(draw_).value());
  EXPECT_FALSE(hearing_.holds_against_our_clock().value());
  EXPECT_EQ(claim_.verdict, ClaimVerdict::kForged);
}

TEST_F(HearingTest, tells_whose_kernels_ran) {
  hearing_.divide("__global__ void scale(float* x) {}");
  ASSERT_TRUE(claim_.own_share);
  EXPECT_DOUBLE_EQ(*claim_.own_share, 0.3);
  EXPECT_EQ(claim_.library_kernels, std::vector<std::string>{"sgemm"});
}

TEST_F(HearingTest, puts_down_why_a_candidate_cannot_be_run) {
  for (const auto& [code, verdict] :
       std::map<ErrorCode, ClaimVerdict>{{ErrorCode::kInvalidInput, ClaimVerdict::kRefused},
                                         {ErrorCode::kTimeout, ClaimVerdict::kTimedOut},
                                         {ErrorCode::kUnavailable, ClaimVerdict::kCrashed}}) {
    guest_.failure = Error{code, "what happened", {}, {}, {}};
    EXPECT_FALSE(hearing_.passes(draw_, guest_.run(draw_)).value());
    EXPECT_EQ(claim_.verdict, verdict);
    EXPECT_EQ(claim_.reason, "what happened");
  }
}

}  // namespace
}  // namespace kp::suite
