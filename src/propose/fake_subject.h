// SPDX-License-Identifier: Apache-2.0
// A subject for tests of rewrites: a single-file task from text, and what a rewrite makes of it.
// Versions are compiled where there is a CUDA toolkit, so that a rewrite cannot pass by looking
// right.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "build/build.h"
#include "propose/catalog.h"
#include "task/task.h"

namespace kp::propose {

class FakeSubject {
 public:
  explicit FakeSubject(const std::string& source) : tree_(source) {
    const Path file = folder_.path() / "subject.cu";
    EXPECT_TRUE(write_file(file, source));
    auto task = task::read_task(file);
    EXPECT_TRUE(task) << task.error().text();
    if (!task) return;
    task_ = *std::move(task);
    auto candidate = task::make_candidate(task_, source, "subject.cu");
    EXPECT_TRUE(candidate) << candidate.error().text();
    if (candidate) candidate_ = *std::move(candidate);
  }

  RewriteResult apply(const Rewrite& rewrite) const {
    return rewrite.apply(Subject{task_, candidate_, tree_, nullptr});
  }

  /// The versions; each must have a readable plan and compile.
  std::vector<Rewritten> versions(const Rewrite& rewrite) const {
    auto result = apply(rewrite);
    if (const auto* refusal = std::get_if<Refusal>(&result)) {
      ADD_FAILURE() << "refused: " << refusal->why;
      return {};
    }
    auto versions = std::get<std::vector<Rewritten>>(std::move(result));
    for (const Rewritten& version : versions) expect_compiles(version.source);
    return versions;
  }

  /// Why it refuses; empty when it does not.
  std::string refusal(const Rewrite& rewrite) const {
    const auto result = apply(rewrite);
    const auto* refusal = std::get_if<Refusal>(&result);
    return refusal ? refusal->why : "";
  }

 private:
  void expect_compiles(const std::string& source) const {
    auto candidate = task::make_candidate(task_, source, "version.cu");
    ASSERT_TRUE(candidate) << candidate.error().text() << "\n" << source;
    auto builder = build::Builder::open();
    if (!builder) return;
    const auto outcome = builder->build(task_, *candidate);
    ASSERT_TRUE(outcome) << outcome.error().text();
    const auto* failed = std::get_if<BuildFailed>(&*outcome);
    EXPECT_FALSE(failed) << failed->log << "\n" << source;
    EXPECT_TRUE(std::holds_alternative<build::Binary>(*outcome)) << source;
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  build::SourceTree tree_;
  Task task_;
  Candidate candidate_;
};

/// An element-wise single-file task around `body`; the tensors are called in, out and the length
/// count.
inline std::string elementwise_source(
    const std::string& body,
    const std::string& parameters = "const float* in, float* out, int count") {
  return "/* kernelpro\n"
         "axis   count = 65536\n"
         "input  in : f32[count]\n"
         "output out : f32[count]\n"
         "launch work<<<ceil_div(count, 256), 256>>>(in, out, count)\n"
         "*/\n"
         "extern \"C\" __global__ void work(" +
         parameters + ") {\n" + body + "}\n";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace kp::propose
