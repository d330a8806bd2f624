// SPDX-License-Identifier: Apache-2.0
#include "task/custom_inputs.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <cstring>

#include "task/safetensors.h"
#include "task/task.h"

namespace kp::task {
namespace {

namespace fs = std::filesystem;

Path routed() { return Path(KP_SOURCE_DIR) / "tests/problems/sol/routed"; }

/// Read by a PyTorch that is really there, into a cache of its own.
class CustomInputs : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::setenv("KERNELPRO_CACHE", folder_.path().c_str(), 1), 0);
    fs::copy(routed(), path(), fs::copy_options::recursive);
  }
  void TearDown() override { ::unsetenv("KERNELPRO_CACHE"); }

  Path path() const { return folder_.path() / "p"; }
  void replace(const char* file, std::string_view from, std::string_view to) const {
    std::string text = read_text(path() / file).value();
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    ASSERT_TRUE(write_file(path() / file, text.replace(at, from.size(), to)));
  }
  template <class Element>
  static std::vector<Element> elements(const FixedInput& data) {
    const std::string bytes = read_range(data.file, data.offset, data.bytes).value();
    std::vector<Element> made(bytes.size() / sizeof(Element));
    std::memcpy(made.data(), bytes.data(), bytes.size());
    return made;
  }

  TemporaryFolder folder_ = TemporaryFolder::make().value();
};

#define SKIP_WITHOUT_PYTORCH(task)                               \
  if (!(task) && (task).error().code == ErrorCode::kUnavailable) \
  GTEST_SKIP() << (task).error().text()

TEST_F(CustomInputs, AreMadeByTheDefinitionsFunctionAndKeptAsTheyAre) {
  const auto task = read_task(path());
  SKIP_WITHOUT_PYTORCH(task);
  ASSERT_TRUE(task) << task.error().text();
  const Workload& workload = task->workloads[0];
  EXPECT_EQ(workload.scalars.at("gain"), 0.75);
  const auto experts = elements<std::int64_t>(workload.data.at("expert"));
  ASSERT_EQ(experts.size(), 13u);
  for (const std::int64_t expert : experts) EXPECT_TRUE(expert >= 0 && expert < 5) << expert;
  const auto bias = elements<float>(workload.data.at("bias"));
  ASSERT_EQ(bias.size(), 5 * 24u);
  for (const float value : bias) EXPECT_TRUE(value >= 0 && value < 1) << value;
  double square = 0;
  for (const std::uint16_t bits : elements<std::uint16_t>(workload.data.at("x"))) {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float value = 0;
    std::memcpy(&value, &wide, sizeof value);
    square += value * value;
  }
  EXPECT_NEAR(square / (13 * 24), 1, 0.5) << "normal numbers in bfloat16";
}

TEST_F(CustomInputs, AreTheSameWhenTheTaskIsReadAgain) {
  const auto first = read_task(path());
  SKIP_WITHOUT_PYTORCH(first);
  const Path kept = first->workloads[1].data.at("x").file;
  const std::string before = read_file(kept).value();
  fs::remove(kept);
  const auto second = read_task(path());
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(read_file(kept).value(), before);
}

TEST_F(CustomInputs, MustFitTheDefinition) {
  replace("definition.json", "torch.bfloat16, device=device", "torch.float16, device=device");
  const auto other_type = read_task(path());
  SKIP_WITHOUT_PYTORCH(other_type);
  ASSERT_FALSE(other_type);
  EXPECT_NE(
      other_type.error().text().find("x is made as torch.float16, the definition says bfloat16"),
      std::string::npos)
      << other_type.error().text();
  replace("definition.json", "torch.float16, device=device", "torch.bfloat16, device=device");
  replace("definition.json", "(tokens,)", "(tokens + 1,)");
  const auto other_size = read_task(path());
  ASSERT_FALSE(other_size);
  EXPECT_EQ(
      other_size.error().text(),
      "workload routed-001, custom inputs: `expert` is made with 14 elements, the definition "
      "says 13\nhint: make the function of custom_inputs_entrypoint and the definition agree");
}

TEST_F(CustomInputs, AreAskedForInPythonWithTheSizesOfTheWorkload) {
  Definition definition;
  definition.reference = "def make(a, d): ...";
  definition.custom_inputs = "make";
  definition.declaration.tensors = {{.name = "x", .dtype = DType::kF16, .shape = {Expr(4)}},
                                    {.name = "n", .dtype = DType::kF32},
                                    {.name = "y", .shape = {Expr(4)}, .role = TensorRole::kOutput}};
  Workload workload;
  workload.axes = {{"m", 3}};
  workload.scalars = {{"n", 0.5}};
  workload.data["x"] = {};
  const std::string text = custom_problem_of(definition, workload);
  EXPECT_NE(text.find("made = make({\"m\": 3, \"n\": 0.5}, kp_torch.device(\"cpu\"))"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("return [kp_bits(\"x\", made[\"x\"], \"float16\"),\n            0]"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace kp::task
