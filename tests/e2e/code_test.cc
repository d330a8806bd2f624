// SPDX-License-Identifier: Apache-2.0
#include "e2e/program.h"

namespace kp::e2e {
namespace {

class Code : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_folder(root() / "include/cute"));
    ASSERT_TRUE(write_file(root() / "include/cute/tensor.hpp",
                           "#pragma once\nnamespace cute {\n"
                           "__device__ inline float doubled(float x) { return 2 * x; }\n}\n"));
    ASSERT_TRUE(write_file(folder_.path() / "twice.cu",
                           "/* kernelpro\n"
                           "axis n = 1024\n"
                           "input x : f32[n]\n"
                           "output y : f32[n]\n"
                           "level cute\n"
                           "launch twice<<<n / 128, 128>>>(x, y)\n"
                           "oracle launch expected<<<n / 128, 128>>>(x, y)\n"
                           "*/\n"
                           "#include <cute/tensor.hpp>\n"
                           "extern \"C\" __global__ void twice(const float* x, float* y) {\n"
                           "  int i = blockIdx.x * 128 + threadIdx.x;\n"
                           "  y[i] = cute::doubled(x[i]);\n"
                           "}\n"
                           "extern \"C\" __global__ void expected(const double* x, double* y) {\n"
                           "  int i = blockIdx.x * 128 + threadIdx.x;\n"
                           "  y[i] = 2 * x[i];\n"
                           "}\n"));
  }

  Path root() const { return folder_.path() / "tree"; }
  std::string task() const { return (folder_.path() / "twice.cu").string(); }
  TemporaryFolder folder_ = *TemporaryFolder::make();
};

TEST_F(Code, WhatASearchFindsCanBeRead) {
  const Outcome found =
      run({"search-code", "doubled AND (", "--code-root", root().string(), "--json"});
  ASSERT_EQ(found.code, 0) << found.errors;
  const auto hit = found.json().at("hits").at(0);
  EXPECT_EQ(hit.at("path"), "include/cute/tensor.hpp");
  const Outcome lines = run({"read-code", hit.at("path").get<std::string>(), "--lines", "3:3",
                             "--code-root", root().string()});
  EXPECT_EQ(lines.output, "__device__ inline float doubled(float x) { return 2 * x; }\n");
}

TEST_F(Code, MistakesAreExplained) {
  const Outcome none = run({"search-code", "doubled", "--code-root", "/nowhere"});
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.errors.find("give a folder that exists"), std::string::npos) << none.errors;
  const Outcome out = run({"read-code", "../twice.cu", "--code-root", root().string()});
  EXPECT_EQ(out.code, 1);
  EXPECT_NE(out.errors.find("leaves the root"), std::string::npos) << out.errors;
  const Outcome lines = run({"read-code", "a.h", "--lines", "9:3", "--code-root", root().string()});
  EXPECT_NE(lines.errors.find("write the first and the last"), std::string::npos) << lines.errors;
}

TEST_F(Code, ACandidateOfLevelCuteNeedsTheRoot) {
  const Outcome with = run({"check", task(), "--device", "vgpu", "--code-root", root().string()});
  EXPECT_EQ(with.code, 0) << with.output << with.errors;
  const Outcome without = run({"check", task(), "--device", "vgpu"});
  EXPECT_NE(without.code, 0);
  const std::string said = without.output + without.errors;
  EXPECT_NE(said.find("give --code-root DIR"), std::string::npos) << said;
}

}  // namespace
}  // namespace kp::e2e
