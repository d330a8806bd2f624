// SPDX-License-Identifier: Apache-2.0
#include "harness/opinion.h"

#include "harness/device_fixture.h"
#include "harness/kernel_opinion.h"

namespace kp::harness {
namespace {

class OpinionTest : public HardwareTest {
 protected:
  /// The shipped softmax with `from` in its reference.cu replaced.
  Task softmax_with(const std::string& from, const std::string& to) {
    Task task = *task::read_task(Path(KP_SOURCE_DIR) / "tasks" / "softmax");
    std::string text = *read_text(task.oracle.device_source);
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    task.oracle.device_source = folder_.path() / "reference.cu";
    EXPECT_TRUE(write_file(task.oracle.device_source, text));
    return task;
  }

  auto open(const Task& task) { return open_opinion(task, *bench_, *builder_); }
};

TEST_F(OpinionTest, ABaselineAsReferenceDoublesEveryLimitAndTheNoteSaysSo) {
  const auto opinion = open_baseline_kernels(*task_of(kScale), bench_->trusted(), *builder_);
  ASSERT_TRUE(opinion) << opinion.error().text();
  EXPECT_EQ((*opinion)->slack, 2);
  EXPECT_FALSE((*opinion)->oracle);
  EXPECT_NE((*opinion)->note.find("twice the gate"), std::string::npos);
}

TEST_F(OpinionTest, OracleKernelsInDoubleComeBeforeTheBaseline) {
  std::string text = kScale;
  const std::string end = "\n*/";
  text.replace(text.find(end), end.size(),
               "\noracle launch exact<<<ceil_div(n, 128), 128>>>(x, a, y, n)\n*/");
  text +=
      "extern \"C\" __global__ void exact(const double* x, double a, double* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = a * x[i];\n}\n";
  const auto opinion = open_baseline_kernels(*task_of(text), bench_->trusted(), *builder_);
  ASSERT_TRUE(opinion) << opinion.error().text();
  EXPECT_TRUE((*opinion)->oracle);
  EXPECT_EQ((*opinion)->slack, 1);
}

TEST_F(OpinionTest, ATaskWithoutBaselineAndReferenceHasNone) {
  Task task = *task_of(kScale);
  task.baseline.reset();
  const auto opinion = open(task);
  ASSERT_TRUE(opinion) << opinion.error().text();
  EXPECT_EQ(*opinion, nullptr);
}

TEST_F(OpinionTest, AReferenceCuThatDoesNotCompileIsAnErrorThatNamesIt) {
  const auto opinion = open(softmax_with("double sum = 0;", "double sum = nothing;"));
  ASSERT_FALSE(opinion);
  const std::string text = opinion.error().text();
  EXPECT_NE(text.find("reference.cu"), std::string::npos) << text;
  EXPECT_NE(text.find("nothing"), std::string::npos) << text;
}

TEST_F(OpinionTest, AReferenceCuThatDisagreesWithReferenceCcIsRefused) {
  const Task task = softmax_with("exp(in[i] - largest) / sum", "exp(in[i] - largest) / (sum + 1)");
  const auto opinion = open(task);
  ASSERT_TRUE(opinion) << opinion.error().text();
  const auto reference = open_host_reference(task, builder_->toolchain(), cache());
  ASSERT_TRUE(reference) << reference.error().text();
  const auto confirmed = confirm(**opinion, task, **reference);
  ASSERT_FALSE(confirmed);
  EXPECT_EQ(confirmed.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(confirmed.error().text().find("the task's own reference says"), std::string::npos);
}

}  // namespace
}  // namespace kp::harness
