// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/check.h"
#include "harness/device_fixture.h"
#include "harness/timing.h"
#include "task/task.h"

namespace kp::harness {
namespace {

class HarnessTest : public DeviceTest {
 protected:
  Result<Harness> open(const Path& path) {
    KP_TRY(Task task, task::read_task(path));
    return Harness::open(std::move(task), *device_, *builder_, {.cache = cache()});
  }

  Result<Evaluation> evaluate(Harness& harness, const std::string& source,
                              Depth depth = Depth::kQuick) {
    KP_TRY(const Candidate candidate, task::make_candidate(harness.task(), source, "candidate.cu"));
    return harness.evaluate(candidate, depth);
  }

  /// The text's own task, evaluated with the text itself as candidate.
  Result<Evaluation> evaluate_text(const std::string& text, Depth depth = Depth::kQuick) {
    KP_TRY_VOID(write_file(folder_.path() / "task.cu", text));
    KP_TRY(Harness harness, open(folder_.path() / "task.cu"));
    return evaluate(harness, text, depth);
  }
};

TEST_F(HarnessTest, SimpleShippedBaselinesPassBothDepths) {
  for (const std::string name : {"transpose", "swish", "dequant", "softmax", "smooth.cu"}) {
    auto harness = open(Path(KP_SOURCE_DIR) / "tasks" / name);
    ASSERT_TRUE(harness.has_value()) << name << ": " << harness.error().text();
    for (const Depth depth : {Depth::kQuick, Depth::kFinal}) {
      const auto evaluation = evaluate(*harness, *harness->task().baseline, depth);
      ASSERT_TRUE(evaluation.has_value()) << name << ": " << evaluation.error().text();
      ASSERT_NE(evaluation->measured(), nullptr) << name << ": " << summary(*evaluation);
      const Measured& measured = *evaluation->measured();
      EXPECT_GT(measured.nanoseconds, 0) << name;
      EXPECT_EQ(measured.grade, Grade::kModelled);
      EXPECT_FALSE(measured.workloads.at(0).low.has_value()) << "a modelled time has no interval";
      EXPECT_TRUE(measured.deterministic) << name;
      EXPECT_LT(measured.worst_error, measured.error_limit) << name;
      EXPECT_FALSE(measured.profile.kernels.empty()) << name;
      RecordProperty(name + std::string(name_of(depth)), std::to_string(evaluation->wall_seconds));
      std::printf("%s %s: %.2f s, %.1f us modelled, error %.2g of %.2g\n", name.c_str(),
                  std::string(name_of(depth)).c_str(), evaluation->wall_seconds,
                  measured.nanoseconds / 1e3, measured.worst_error, measured.error_limit);
    }
  }
}

TEST_F(HarnessTest, TheSameSeedGivesTheSameEvaluation) {
  auto harness = open(Path(KP_SOURCE_DIR) / "tasks/softmax");
  ASSERT_TRUE(harness.has_value()) << harness.error().text();
  const auto first = evaluate(*harness, *harness->task().baseline);
  auto again = open(Path(KP_SOURCE_DIR) / "tasks/softmax");
  const auto second = evaluate(*again, *harness->task().baseline);
  ASSERT_TRUE(first && second && first->measured() && second->measured());
  EXPECT_EQ(first->measured()->nanoseconds, second->measured()->nanoseconds);
  EXPECT_EQ(first->measured()->worst_error, second->measured()->worst_error);
  EXPECT_EQ(first->measured()->profile.kernels[0].metrics,
            second->measured()->profile.kernels[0].metrics);
}

constexpr const char* kWeighted = R"(/* kernelpro
axis   rows = 4096, cols = 512
check  rows = 7, cols = 40
inout  x : f32[rows, cols]
weight w : f32[cols]
input  a : f32 = 0.25
output y : f32[rows]
precision f32
buffer squares : f32[cols]
prepare launch square<<<ceil_div(cols, 64), 64>>>(w, squares, cols)
launch apply<<<rows, 32>>>(x, squares, a, y, cols)
*/
extern "C" __global__ void square(const float* w, float* squares, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < cols) squares[i] = w[i] * w[i];
}
extern "C" __global__ void apply(float* x, const float* squares, float a, float* y, int cols) {
  float* row = x + (size_t)blockIdx.x * cols;
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) {
    row[c] = a * row[c] * squares[c];
    sum += row[c];
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
)";

TEST_F(HarnessTest, WeightsInoutScalarsScratchAndPrepareWorkTogether) {
  const auto evaluation = evaluate_text(kWeighted, Depth::kFinal);
  ASSERT_TRUE(evaluation.has_value()) << evaluation.error().text();
  ASSERT_NE(evaluation->measured(), nullptr) << summary(*evaluation);
  std::string notes;
  for (const std::string& note : evaluation->notes) notes += note + "\n";
  EXPECT_NE(notes.find("oracle: self"), std::string::npos) << notes;
  EXPECT_NE(notes.find("prepare on"), std::string::npos) << notes;
}

TEST_F(HarnessTest, PrepareCannotSeeInputs) {
  std::string text = kWeighted;
  const std::string from = "(w, squares, cols)\nlaunch";
  text.replace(text.find(from), from.size(), "(x, squares, cols)\nlaunch");
  const auto evaluation = evaluate_text(text);
  if (!evaluation) return;  // the plan checker may refuse it first
  EXPECT_EQ(evaluation->measured(), nullptr);
}

TEST_F(HarnessTest, AWorkloadThatDoesNotFitIsALimitWithAWayOut) {
  std::string text = kWeighted;
  text.replace(text.find("rows = 4096, cols = 512"), 23, "rows = 268435456, cols = 4096");
  const auto evaluation = evaluate_text(text);
  ASSERT_FALSE(evaluation.has_value());
  EXPECT_EQ(evaluation.error().code, ErrorCode::kLimit) << evaluation.error().text();
  EXPECT_FALSE(evaluation.error().hint.empty());
}

TEST_F(HarnessTest, ScratchThatDoesNotFitIsTheCandidatesFault) {
  std::string text = kWeighted;
  text.replace(text.find("buffer squares : f32[cols]"), 26,
               "buffer squares : f32[cols * 536870912]");
  KP_CHECK(write_file(folder_.path() / "plain.cu", kWeighted), "a writable folder");
  auto harness = open(folder_.path() / "plain.cu");
  ASSERT_TRUE(harness.has_value());
  const auto evaluation = evaluate(*harness, text);
  ASSERT_TRUE(evaluation.has_value()) << evaluation.error().text();
  const auto* crashed = std::get_if<Crashed>(&evaluation->outcome);
  ASSERT_NE(crashed, nullptr) << summary(*evaluation);
  EXPECT_EQ(crashed->fault, FaultKind::kOutOfResources);
}

TEST_F(HarnessTest, FastMathVariantsOfTheBaselinesStayInTheirClass) {
  auto swish = open(Path(KP_SOURCE_DIR) / "tasks/swish");
  ASSERT_TRUE(swish.has_value());
  for (const std::string body : {"v / (1.0f + expf(-v))", "__fdividef(v, 1.0f + __expf(-v))",
                                 "v * (1.0f / (1.0f + __expf(-v)))",
                                 "v * __frcp_rn(1.0f + exp2f(-1.4426950408889634f * v))"}) {
    std::string source = *swish->task().baseline;
    const std::string old = "v / (1.0f + __expf(-v))";
    ASSERT_NE(source.find(old), std::string::npos);
    source.replace(source.find(old), old.size(), body);
    const auto evaluation = evaluate(*swish, source);
    ASSERT_TRUE(evaluation.has_value()) << evaluation.error().text();
    EXPECT_NE(evaluation->measured(), nullptr) << body << ": " << summary(*evaluation);
  }
  auto softmax = open(Path(KP_SOURCE_DIR) / "tasks/softmax");
  ASSERT_TRUE(softmax.has_value());
  std::string source = *softmax->task().baseline;
  for (std::size_t at = 0; (at = source.find(" expf(", at)) != std::string::npos;)
    source.insert(at + 1, "__");
  const auto evaluation = evaluate(*softmax, source);
  ASSERT_TRUE(evaluation.has_value()) << evaluation.error().text();
  EXPECT_NE(evaluation->measured(), nullptr) << summary(*evaluation);
}

TEST_F(HarnessTest, SoftmaxWithoutTheMaximumIsCaughtByLargeInputs) {
  auto softmax = open(Path(KP_SOURCE_DIR) / "tasks/softmax");
  ASSERT_TRUE(softmax.has_value());
  std::string source = *softmax->task().baseline;
  for (std::size_t at = 0; (at = source.find(" - largest", at)) != std::string::npos;)
    source.erase(at, 10);
  const auto evaluation = evaluate(*softmax, source);
  ASSERT_TRUE(evaluation.has_value()) << evaluation.error().text();
  const auto* wrong = std::get_if<WrongAnswer>(&evaluation->outcome);
  ASSERT_NE(wrong, nullptr) << summary(*evaluation);
  EXPECT_TRUE(wrong->value_set == "shifted" || wrong->value_set == "large") << wrong->message;
}

TEST(ByteFloorTest, InputsAreColdAndOutputsCountBeyondTheCache) {
  Declaration declaration;
  Tensor x;
  x.name = "x";
  x.shape = {Expr(1 << 20)};
  Tensor y = x;
  y.name = "y";
  y.role = TensorRole::kOutput;
  declaration.tensors = {x, y};
  DeviceSpec spec;
  spec.dram_peak = 4e12;
  spec.l2_bytes = 1 << 20;
  const double bytes = 4.0 * (1 << 20) + 3.0 * (1 << 20);
  EXPECT_DOUBLE_EQ(*byte_floor(declaration, {}, spec), bytes / 4e12 * 1e9);
}

}  // namespace
}  // namespace kp::harness
