// SPDX-License-Identifier: Apache-2.0
#include "build/header_roots.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "build/build.h"

namespace kp::build {
namespace {

class HeaderRoots : public testing::Test {
 protected:
  void SetUp() override { ::unsetenv("KERNELPRO_CUTLASS"); }
  void TearDown() override { ::unsetenv("KERNELPRO_CUTLASS"); }

  Path root() const { return folder_.path() / "cutlass"; }
  void write(const std::string& path, std::string_view text) {
    const Path file = root() / path;
    ASSERT_TRUE(make_folder(file.parent_path()));
    ASSERT_TRUE(write_file(file, text));
  }
  /// Something of CuTe's form: a constant object that no instruction names, and a function.
  void write_headers(const std::string& factor) {
    write("include/cute/tensor.hpp",
          "#pragma once\nnamespace cute {\nstruct Underscore {};\n"
          "__device__ const Underscore _{};\n__device__ int unused = 7;\n"
          "__device__ inline float scaled(float x) { return " +
              factor + " * x; }\n}\n");
  }

  BuildOutcome build(const std::vector<Path>& code_roots, IncludeLevel level) {
    auto builder = Builder::open({.cache = folder_.path() / "cache", .code_roots = code_roots});
    EXPECT_TRUE(builder.has_value());
    Task task;
    task.name = "none";
    Candidate candidate;
    candidate.source =
        "#include <cute/tensor.hpp>\n"
        "extern \"C\" __global__ void k() { if (cute::scaled(1.0f) > 2.0f) __syncthreads(); }\n";
    candidate.plan.level = level;
    Launch launch;
    launch.kernel = "k";
    candidate.plan.steps = {launch};
    auto outcome = builder->build(task, candidate);
    EXPECT_TRUE(outcome) << outcome.error().text();
    return *std::move(outcome);
  }

  static std::string text_of(const BuildOutcome& outcome) {
    if (const auto* failed = std::get_if<BuildFailed>(&outcome)) return failed->log;
    if (const auto* rejected = std::get_if<Rejected>(&outcome)) return rejected->reason;
    return std::holds_alternative<Binary>(outcome) ? "built" : "late";
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
};

TEST_F(HeaderRoots, AreTheIncludeFolderOrTheRootItself) {
  write_headers("2.0f");
  const auto include = std::filesystem::canonical(root() / "include");
  EXPECT_EQ(find_header_roots({root()}), std::vector<Path>{include});
  EXPECT_EQ(find_header_roots({root() / "include", root()}), std::vector<Path>{include});
  EXPECT_TRUE(find_header_roots({folder_.path(), "/nowhere"}).empty());
  ::setenv("KERNELPRO_CUTLASS", root().c_str(), 1);
  EXPECT_EQ(find_header_roots({}), std::vector<Path>{include});
}

TEST_F(HeaderRoots, IdentityFollowsNamesAndContent) {
  write_headers("2.0f");
  const auto roots = find_header_roots({root()});
  const std::string before = *identity_of_headers(roots);
  EXPECT_EQ(*identity_of_headers(roots), before);
  write_headers("3.0f");
  const std::string changed = *identity_of_headers(roots);
  EXPECT_NE(changed, before);
  write("include/cute/more.hpp", "");
  EXPECT_NE(*identity_of_headers(roots), changed);
  EXPECT_EQ(*identity_of_headers({}), "");
}

TEST_F(HeaderRoots, ACandidateOfLevelCuteCompilesWithThemAndAgainWhenTheyChange) {
  if (!find_toolchain()) GTEST_SKIP() << "skipped: no CUDA toolkit";
  write_headers("2.0f");
  const BuildOutcome first = build({root()}, IncludeLevel::kCute);
  ASSERT_EQ(text_of(first), "built");
  write_headers("3.0f");
  const BuildOutcome second = build({root()}, IncludeLevel::kCutlass);
  ASSERT_EQ(text_of(second), "built");
  EXPECT_NE(std::get<Binary>(first).id, std::get<Binary>(second).id);
}

TEST_F(HeaderRoots, WithoutThemTheErrorSaysHowToNameThem) {
  if (!find_toolchain()) GTEST_SKIP() << "skipped: no CUDA toolkit";
  const std::string text = text_of(build({}, IncludeLevel::kCute));
  EXPECT_NE(text.find("give --code-root DIR"), std::string::npos) << text;
  EXPECT_NE(text.find("KERNELPRO_CUTLASS"), std::string::npos) << text;
  write_headers("2.0f");
  const std::string raw = text_of(build({root()}, IncludeLevel::kRaw));
  EXPECT_EQ(raw.find("--code-root"), std::string::npos) << raw;
}

}  // namespace
}  // namespace kp::build
