// SPDX-License-Identifier: Apache-2.0
#include "harness/torch_problem.h"

#include "harness/device_fixture.h"

namespace kp::harness {
namespace {

Path softsign() { return Path(KP_SOURCE_DIR) / "tests" / "kernelbench" / "1_Softsign.py"; }

TEST(TorchAhead, BeginsForPythonFilesOnGpusOnly) {
  EXPECT_EQ(torch_ahead("tasks/transpose", "cuda"), nullptr);
  EXPECT_EQ(torch_ahead(softsign(), "vgpu:h200"), nullptr);
  const auto first = torch_ahead(softsign(), "cuda");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->device, "cuda:0");
  EXPECT_EQ(torch_ahead(softsign(), "cuda:3")->device, "cuda:3");
}

TEST(TorchProblem, RunsOnTheCpuAndSaysWhyWherePyTorchSeesNoGpu) {
  const auto torch = finish(begin_torch_problem(softsign(), "cuda:99"));
  if (!torch && torch.error().code == ErrorCode::kUnavailable)
    GTEST_SKIP() << "skipped: no PyTorch";
  ASSERT_TRUE(torch) << torch.error().text();
  EXPECT_FALSE((*torch)->on_gpu);
  EXPECT_FALSE((*torch)->why_not.empty());
  EXPECT_EQ((*torch)->worker->installation().device, "cpu");
  EXPECT_TRUE((*torch)->worker->compute(
      {(*torch)->problem.number, {{"batch_size", 1}, {"dim", 1}}, {{"x", {1}}}}));
}

class BegunAhead : public DeviceTest {};

TEST_F(BegunAhead, TheHarnessTakesAProcessThatIsForItsDeviceAndNoOther) {
  const auto task = task::read_task(softsign());
  if (!task) GTEST_SKIP() << "skipped: " << task.error().message;
  for (const char* device : {"cpu", "cuda:99"}) {
    const HarnessOptions options{
        .cache = cache(),
        .torch = std::make_shared<TorchStart>(begin_torch_problem("not read yet", device))};
    const auto harness = Harness::open(*task, *device_, *builder_, options);
    EXPECT_TRUE(harness) << device << ": " << harness.error().text();
  }
}

}  // namespace
}  // namespace kp::harness
