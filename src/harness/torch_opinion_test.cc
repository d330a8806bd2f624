// SPDX-License-Identifier: Apache-2.0
#include "harness/torch_opinion.h"

#include <algorithm>
#include <cstring>

#include "harness/contest.h"
#include "harness/device_fixture.h"
#include "harness/torch_fixture.h"

namespace kp::harness {
namespace {

constexpr std::size_t kElements = 4000;

class TorchOpinionTest : public HardwareTest {
 protected:
  void SetUp() override {
    HardwareTest::SetUp();
    if (IsSkipped()) return;
    task_ = *task_of(kScale);
    task_.oracle.kind = Oracle::Kind::kTorch;
    auto worker = std::make_unique<ScalingWorker>(bench_->buffers());
    worker_ = worker.get();
    torch_ = std::make_shared<TorchProblem>();
    torch_->worker = std::move(worker);
    torch_->problem.number = 1;
    torch_->on_gpu = true;
    candidate_ = *task::make_candidate(task_, kScale, "candidate.cu");
    auto built = builder_->build(task_, candidate_);
    ASSERT_TRUE(built) << built.error().text();
    binary_ = std::get<build::Binary>(*built);
    loaded_ = std::get<std::unique_ptr<device::Loaded>>(*bench_->load(binary_));
    referee_ = *Referee::open(bench_->trusted(), builder_->toolchain(), cache());
  }

  const Workload& workload() const { return *task_.with_role(WorkloadRole::kTime)[0]; }
  std::unique_ptr<Opinion> opinion() {
    auto opened = open_opinion(task_, *bench_, *builder_, torch_);
    EXPECT_TRUE(opened) << opened.error().text();
    return *std::move(opened);
  }
  OpenedAnswers answers(Opinion& opinion) {
    auto opened = opinion.answers(workload(), Precision::kF32, *referee_);
    EXPECT_TRUE(opened) << opened.error().text();
    return *std::move(opened);
  }

  std::unique_ptr<ArraySet> drawn_set() {
    auto opened = ArraySet::open({.device = *bench_,
                                  .loaded = *loaded_,
                                  .binary = binary_,
                                  .task = task_,
                                  .candidate = candidate_,
                                  .workload = workload()},
                                 3, *referee_);
    EXPECT_TRUE(opened);
    auto set = std::get<std::unique_ptr<ArraySet>>(*std::move(opened));
    set->draw(17);
    EXPECT_TRUE(referee_->fill(set->fillings()));
    return set;
  }

  /// A contest without a baseline, judged by this opinion alone.
  std::string contest(Opinion& opinion) {
    const auto reference = torch_reference(torch_, task_);
    Cases cases(task_, *reference);
    const HarnessOptions options{.cache = cache()};
    const VerifyRequest request{.task = task_,
                                .candidate = candidate_,
                                .binary = binary_,
                                .device = *bench_,
                                .loaded = *loaded_,
                                .cases = cases,
                                .reference = *reference,
                                .options = options};
    const Bench bench{*bench_, *referee_, &opinion};
    Contest contest(request, bench, workload(), 5);
    auto ran = contest.run(*loaded_);
    if (!ran) return ran.error().text();
    if (const auto* report = std::get_if<ContestReport>(&*ran)) return report->answers;
    Evaluation evaluation;
    evaluation.outcome = std::get<Outcome>(*ran);
    return summary(evaluation);
  }

  Task task_;
  ScalingWorker* worker_ = nullptr;
  std::shared_ptr<TorchProblem> torch_;
  Candidate candidate_;
  build::Binary binary_;
  std::unique_ptr<device::Loaded> loaded_;
  std::unique_ptr<Referee> referee_;
};

TEST_F(TorchOpinionTest, ItsAnswersAreInDoubleAndAreComparedWithoutSlack) {
  const auto opinion = this->opinion();
  auto opened = answers(*opinion);
  ASSERT_NE(opened.answers, nullptr) << opened.note;
  EXPECT_EQ(opened.note, "timed outputs: against PyTorch 2.11 in double");
  const auto set = drawn_set();
  const auto computed = opened.answers->compute(*set, *referee_);
  ASSERT_TRUE(computed) << computed.error().text();
  const Tensor& y = *task_.declaration.find("y");
  const Comparison comparison = opened.answers->comparison(y, {.dtype = y.dtype}, *set);
  EXPECT_EQ(comparison.gate.slack, 1);
  EXPECT_EQ(comparison.expected_dtype, DType::kF64);
  EXPECT_EQ(comparison.count, kElements);
  const auto x = *referee_->read(set->input("x")->address, DType::kF32, 0, kElements);
  const auto plain = *referee_->read(comparison.expected, DType::kF64, 0, kElements);
  ASSERT_NE(comparison.nudged, 0u);
  const auto nudged = *referee_->read(comparison.nudged, DType::kF64, 0, kElements);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < kElements; ++i) {
    EXPECT_EQ(plain[i], x[i] * static_cast<double>(0.1f));
    EXPECT_NEAR(nudged[i], plain[i], 1e-6 * std::fabs(plain[i]));
    moved += nudged[i] != plain[i];
  }
  EXPECT_GT(moved, kElements / 2);
}

TEST_F(TorchOpinionTest, OutputsOfATaskWithoutBaselineAreVerified) {
  task_.baseline.reset();
  const auto opinion = this->opinion();
  EXPECT_EQ(contest(*opinion), "timed outputs: against PyTorch 2.11 in double");
  bend_.after_set = [this](const std::vector<device::BoundStep>& steps) {
    std::uint64_t y = 0;  // the third parameter
    std::memcpy(&y, &std::get<device::BoundLaunch>(steps[0]).parameters[16], sizeof y);
    const float value = 12345;
    EXPECT_TRUE(device_->buffers().write(y, std::as_bytes(std::span(&value, 1))));
  };
  const std::string wrong = contest(*opinion);
  EXPECT_NE(wrong.find("wrong answer"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("in a timed run"), std::string::npos) << wrong;
}

TEST_F(TorchOpinionTest, WhatPyTorchKeepsIsGivenBackAfterTheContest) {
  const auto opinion = this->opinion();
  const std::uint64_t own = 2 * 8 * kElements;  // x and y in double
  const auto opened = answers(*opinion);
  EXPECT_EQ(opened.answers->bytes(), own + 8 * kElements + 1000) << "and the nudged answer";
  EXPECT_EQ(worker_->releases, 0);
  contest(*opinion);
  EXPECT_EQ(worker_->releases, 1);
}

TEST_F(TorchOpinionTest, ItIsTriedOnInputsAsTheTaskDeclaresThem) {
  for (Tensor& tensor : task_.declaration.tensors) {
    if (tensor.name == "x") tensor.structure.form = Structure::Form::kAscending;
  }
  std::vector<double> products;
  worker_->of_product = [&](double product) {
    products.push_back(product);
    return product;
  };
  const auto opinion = this->opinion();
  answers(*opinion);
  ASSERT_EQ(products.size(), kElements);
  EXPECT_TRUE(std::is_sorted(products.begin(), products.end()));
  EXPECT_LT(products.front(), products.back());
}

TEST_F(TorchOpinionTest, WhereItFailsTheBaselineAnswersAndTheNoteSaysWhy) {
  worker_->failure = Error{ErrorCode::kLimit, "CUDA out of memory", {}, {}, {}};
  const auto opinion = this->opinion();
  for (int i = 0; i < 2; ++i) {
    const auto opened = answers(*opinion);
    ASSERT_NE(opened.answers, nullptr);
    EXPECT_NE(opened.note.find("against the baseline, with twice the gate"), std::string::npos);
    EXPECT_NE(opened.note.find("CUDA out of memory"), std::string::npos) << opened.note;
    const Tensor& y = *task_.declaration.find("y");
    EXPECT_EQ(opened.answers->expected(y).slack, 2);
  }
  EXPECT_EQ(worker_->answers, 1) << "it is not asked again";
}

TEST_F(TorchOpinionTest, WhereItCeasesToAnswerTheContestIsToBeRepeated) {
  const auto opinion = this->opinion();
  const auto opened = answers(*opinion);
  worker_->failure = Error{ErrorCode::kUnavailable, "the process ended", {}, {}, {}};
  const auto computed = opened.answers->compute(*drawn_set(), *referee_);
  ASSERT_FALSE(computed);
  EXPECT_EQ(computed.error().code, ErrorCode::kBusy);
  EXPECT_NE(computed.error().message.find("the process ended"), std::string::npos);
}

TEST_F(TorchOpinionTest, WithoutBaselineANoteSaysThatNothingIsCompared) {
  task_.baseline.reset();
  worker_->failure = Error{ErrorCode::kLimit, "CUDA out of memory", {}, {}, {}};
  const auto opinion = this->opinion();
  const auto opened = answers(*opinion);
  EXPECT_EQ(opened.answers, nullptr);
  EXPECT_NE(opened.note.find("not compared"), std::string::npos) << opened.note;
  EXPECT_NE(opened.note.find("CUDA out of memory"), std::string::npos) << opened.note;
}

TEST_F(TorchOpinionTest, AnAnswerThatLeavesNoRoomForTheContestIsNoAnswer) {
  const auto opinion = this->opinion();
  worker_->keeps = BenchDevice::memory_bytes;
  const auto opened = answers(*opinion);
  EXPECT_NE(opened.note.find("in double it needs"), std::string::npos) << opened.note;
  EXPECT_EQ(worker_->releases, 1);
}

TEST_F(TorchOpinionTest, WithoutRoomForASecondAnswerNothingIsNudged) {
  const auto opinion = this->opinion();
  // Of 0.9 of the memory: 64 kB for x and y in double, 64 kB for two sets, 16 kB are left.
  worker_->keeps = BenchDevice::memory_bytes * 9 / 10 - 144'000;
  const auto opened = answers(*opinion);
  ASSERT_NE(opened.answers, nullptr) << opened.note;
  EXPECT_EQ(opened.answers->expected(*task_.declaration.find("y")).nudged, 0u);
}

TEST_F(TorchOpinionTest, WherePyTorchCannotUseTheGpuItIsNotAsked) {
  torch_->on_gpu = false;
  torch_->why_not = "PyTorch 1.13.1 sees no GPU";
  const auto opinion = this->opinion();
  const auto opened = answers(*opinion);
  EXPECT_NE(opened.note.find("sees no GPU"), std::string::npos) << opened.note;
  EXPECT_EQ(worker_->answers, 0);
}

TEST_F(TorchOpinionTest, AReferenceThatFailsOnTheGpuGoesOnOnTheCpu) {
  worker_->computes = false;
  torch_->file = Path(KP_SOURCE_DIR) / "tests" / "kernelbench" / "1_Softsign.py";
  Workload small{.name = "small", .constants = {{"batch_size", 1}, {"dim", 2}}};
  const auto made = torch_reference(torch_, task_)->compute(small, {{"x", {1, -3}}});
  if (!made && made.error().code == ErrorCode::kUnavailable) GTEST_SKIP() << "skipped: no PyTorch";
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->at("y"), (std::vector<double>{0.5, -0.75}));
  EXPECT_FALSE(torch_->on_gpu);
  EXPECT_EQ(torch_->why_not, "no kernel for Double");
}

TEST_F(TorchOpinionTest, WhatItAnswersAgreesWithTheTasksOwnReferenceOrIsRefused) {
  const auto opinion = this->opinion();
  const auto reference = torch_reference(torch_, task_);
  const auto confirmed = confirm(*opinion, task_, *reference);
  EXPECT_TRUE(confirmed) << confirmed.error().text();
  int count = 0;  // its own reference is asked first
  worker_->of_product = [&count](double product) { return ++count > 777 ? product + 1 : product; };
  const auto refused = confirm(*opinion, task_, *reference);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("the task's own reference says"), std::string::npos);
}

}  // namespace
}  // namespace kp::harness
