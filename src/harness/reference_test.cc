// SPDX-License-Identifier: Apache-2.0
#include "harness/reference.h"

#include <gtest/gtest.h>

#include "harness/device_fixture.h"
#include "task/task.h"

namespace kp::harness {
namespace {

constexpr const char* kScaleTask = R"(/* kernelpro
axis   n = 4096
check  n = 33
input  x : f32[n] ~ normal
input  a : f32 = 0.5
output y : f32[n]
precision f32
launch scale<<<ceil_div(n, 128), 128>>>(x, a, y, n)
*/
extern "C" __global__ void scale(const float* x, float a, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
)";

class ReferenceTest : public DeviceTest {
 protected:
  Task task_of(const std::string& text, const std::string& reference = "") {
    EXPECT_TRUE(write_file(folder_.path() / "scale.cu", text));
    if (!reference.empty()) {
      EXPECT_TRUE(write_file(folder_.path() / "scale.reference.cc",
                             "#include <kernelpro/reference.h>\n" + reference));
    }
    auto task = task::read_task(folder_.path() / "scale.cu");
    EXPECT_TRUE(task.has_value()) << task.error().text();
    return *task;
  }

  TensorValues inputs_of(const Task& task) {
    return *draw_inputs(task, *task.with_role(WorkloadRole::kCheck)[0], ValueSet::kContract, 1);
  }

  Result<std::unique_ptr<Reference>> open_host(const Task& task) {
    return open_host_reference(task, builder_->toolchain(), folder_.path() / "cache");
  }
};

const std::string kHead =
    "extern \"C\" int kernelpro_reference(const kp_axis* axes, int32_t, const kp_tensor* in, "
    "int32_t, "
    "kp_tensor* out, int32_t) {";

TEST_F(ReferenceTest, TheHostsReferenceSeesAxesScalarsAndArrays) {
  const Task task =
      task_of(kScaleTask, kHead +
                              "if (in[1].rank != 0 || in[0].shape[0] != axes[0].value) return 1;"
                              "for (int64_t i = 0; i < out[0].count; ++i) out[0].values[i] = "
                              "in[1].values[0] * in[0].values[i]; return 0; }");
  ASSERT_EQ(task.oracle.kind, Oracle::Kind::kHost);
  auto reference = open_host(task);
  ASSERT_TRUE(reference.has_value()) << reference.error().text();
  const TensorValues inputs = inputs_of(task);
  const auto outputs = (*reference)->compute(*task.with_role(WorkloadRole::kCheck)[0], inputs);
  ASSERT_TRUE(outputs.has_value()) << outputs.error().text();
  for (std::size_t i = 0; i < 33; ++i) EXPECT_EQ(outputs->at("y")[i], 0.5 * inputs.at("x")[i]);
}

TEST_F(ReferenceTest, AReferenceThatDoesNotCompileShowsTheCompilersText) {
  const auto reference = open_host(task_of(kScaleTask, "int broken = ;"));
  ASSERT_FALSE(reference.has_value());
  EXPECT_NE(reference.error().text().find("scale.reference.cc"), std::string::npos);
  EXPECT_NE(reference.error().text().find("expected primary-expression"), std::string::npos)
      << reference.error().text();
}

TEST_F(ReferenceTest, AReferenceThatFailsSaysSo) {
  const Task task = task_of(kScaleTask, kHead + "return 7; }");
  auto reference = open_host(task);
  ASSERT_TRUE(reference.has_value());
  const auto outputs =
      (*reference)->compute(*task.with_role(WorkloadRole::kCheck)[0], inputs_of(task));
  ASSERT_FALSE(outputs.has_value());
  EXPECT_NE(outputs.error().text().find("returned 7"), std::string::npos) << outputs.error().text();
}

TEST_F(ReferenceTest, WithoutAnythingElseTheBaselineIsItsOwnReference) {
  const Task task = task_of(kScaleTask);
  ASSERT_EQ(task.oracle.kind, Oracle::Kind::kSelf);
  auto reference = open_device_reference(task, *device_, *builder_);
  ASSERT_TRUE(reference.has_value()) << reference.error().text();
  EXPECT_EQ((*reference)->note(), "oracle: self");
  const TensorValues inputs = inputs_of(task);
  const auto outputs = (*reference)->compute(*task.with_role(WorkloadRole::kCheck)[0], inputs);
  ASSERT_TRUE(outputs.has_value()) << outputs.error().text();
  for (std::size_t i = 0; i < 33; ++i) EXPECT_EQ(outputs->at("y")[i], 0.5 * inputs.at("x")[i]);
}

TEST_F(ReferenceTest, OracleKernelsComputeInDouble) {
  std::string text = kScaleTask;
  text.replace(text.find("*/"), 2,
               "oracle launch exact<<<ceil_div(n, 128), 128>>>(x, a, y, n)\n*/");
  text +=
      "extern \"C\" __global__ void exact(const double* x, double a, double* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = a * x[i] / 3.0;\n}\n";
  const Task task = task_of(text);
  ASSERT_EQ(task.oracle.kind, Oracle::Kind::kKernels);
  auto reference = open_device_reference(task, *device_, *builder_);
  ASSERT_TRUE(reference.has_value()) << reference.error().text();
  const TensorValues inputs = inputs_of(task);
  const auto outputs = (*reference)->compute(*task.with_role(WorkloadRole::kCheck)[0], inputs);
  ASSERT_TRUE(outputs.has_value()) << outputs.error().text();
  for (std::size_t i = 0; i < 33; ++i)
    EXPECT_EQ(outputs->at("y")[i], 0.5 * inputs.at("x")[i] / 3.0);
}

}  // namespace
}  // namespace kp::harness
