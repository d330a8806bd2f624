// SPDX-License-Identifier: Apache-2.0
// What tasks/ ships: baselines that are right under every check, and references that nothing passes
// which leaves the work out.
#include <algorithm>

#include "harness/device_fixture.h"
#include "harness/harness.h"
#include "task/task.h"

namespace kp::harness {
namespace {

std::vector<std::string> shipped_tasks() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Path(KP_SOURCE_DIR) / "tasks")) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ShippedTask : public DeviceTest, public testing::WithParamInterface<std::string> {
 protected:
  Result<Harness> open() {
    KP_TRY(Task task, task::read_task(Path(KP_SOURCE_DIR) / "tasks" / GetParam()));
    return Harness::open(std::move(task), *device_, *builder_, {.cache = cache()});
  }
};

TEST_P(ShippedTask, HasABaselineThatPassesEveryCheckWorkload) {
  auto harness = open();
  ASSERT_TRUE(harness) << harness.error().text();
  const auto candidate =
      task::make_candidate(harness->task(), *harness->task().baseline, "baseline.cu");
  ASSERT_TRUE(candidate) << candidate.error().text();
  const auto found = harness->check(*candidate);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_FALSE(found->has_value()) << summary(Evaluation{.outcome = **found});
}

std::string pointer_to(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return "__half*";
    case DType::kBf16:
      return "__nv_bfloat16*";
    case DType::kI32:
      return "int*";
    default:
      return "float*";
  }
}

/// A candidate that clears every output and computes nothing.
std::string zeroes_for(const Task& task) {
  std::string plan, names, parameters;
  for (const Tensor& tensor : task.declaration.tensors) {
    if (tensor.role != TensorRole::kOutput) continue;
    plan += "zero " + tensor.name + "\n";
    names += (names.empty() ? "" : ", ") + tensor.name;
    parameters += (parameters.empty() ? "" : ", ") + pointer_to(tensor.dtype) + " " + tensor.name;
  }
  return "/* kernelpro\n" + plan + "launch nothing<<<1, 32>>>(" + names +
         ")\n*/\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\nextern \"C\" __global__ void "
         "nothing(" +
         parameters + ") {}\n";
}

TEST_P(ShippedTask, RefusesZeroes) {
  auto harness = open();
  ASSERT_TRUE(harness) << harness.error().text();
  const auto candidate =
      task::make_candidate(harness->task(), zeroes_for(harness->task()), "zeroes.cu");
  ASSERT_TRUE(candidate) << candidate.error().text();
  const auto found = harness->check(*candidate);
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_TRUE(found->has_value());
  EXPECT_TRUE(std::holds_alternative<WrongAnswer>(**found))
      << summary(Evaluation{.outcome = **found});
}

INSTANTIATE_TEST_SUITE_P(Tasks, ShippedTask, testing::ValuesIn(shipped_tasks()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace kp::harness
