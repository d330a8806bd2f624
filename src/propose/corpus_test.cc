// SPDX-License-Identifier: Apache-2.0
// All rewrites on all kernels of the tree: whatever a kernel looks like, no rewrite crashes, and
// every version has a readable plan; the first version of each rewrite compiles.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "build/build.h"
#include "propose/catalog.h"

namespace kp::propose {
namespace {

constexpr int kMostCompiled = 60;

std::vector<Path> tasks_below(const Path& folder) {
  std::vector<Path> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const bool folder_task = std::filesystem::exists(entry.path() / "definition.json");
    if (folder_task || entry.path().extension() == ".cu") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

class Corpus : public testing::Test {
 protected:
  void try_all(const Path& path) {
    const auto task = task::read_task(path);
    if (!task || !task->baseline) return;  // some files of the corpus are no tasks
    const auto candidate = task::make_candidate(*task, *task->baseline, path.string());
    if (!candidate) return;
    ++tasks_;
    const build::SourceTree tree(candidate->source);
    for (const auto& rewrite : rewrites()) {
      auto result = rewrite->apply(Subject{*task, *candidate, tree, nullptr});
      if (const auto* refusal = std::get_if<Refusal>(&result)) {
        EXPECT_FALSE(refusal->why.empty());
        continue;
      }
      check(*task, *candidate, std::string(rewrite->about().name),
            std::get<std::vector<Rewritten>>(result));
    }
  }

  void check(const Task& task, const Candidate& parent, const std::string& rewrite,
             const std::vector<Rewritten>& versions) {
    EXPECT_FALSE(versions.empty()) << rewrite;
    for (std::size_t i = 0; i < versions.size(); ++i) {
      const std::string& source = versions[i].source;
      EXPECT_NE(source, parent.source) << rewrite << " of " << task.name;
      const auto candidate = task::make_candidate(task, source, "version.cu");
      EXPECT_TRUE(candidate) << rewrite << " of " << task.name << ": " << candidate.error().text();
      if (candidate && i == 0 && compiled_++ < kMostCompiled) compile(task, *candidate, rewrite);
    }
  }

  void compile(const Task& task, const Candidate& candidate, const std::string& rewrite) {
    auto builder = build::Builder::open();
    if (!builder) return;  // no CUDA toolkit
    const auto outcome = builder->build(task, candidate);
    ASSERT_TRUE(outcome) << outcome.error().text();
    const auto* failed = std::get_if<BuildFailed>(&*outcome);
    EXPECT_FALSE(failed) << rewrite << " of " << task.name << ": " << failed->log << "\n"
                         << candidate.source;
  }

  int tasks_ = 0, compiled_ = 0;
};

TEST_F(Corpus, gives_readable_plans_and_code_that_compiles) {
  const Path root = KP_SOURCE_DIR;
  for (const char* folder :
       {"tasks", "tests/kernels", "tests/kernels/rewrites", "bench/calibration/kernels"}) {
    for (const Path& path : tasks_below(root / folder)) try_all(path);
  }
  EXPECT_GT(tasks_, 10);
  EXPECT_GT(compiled_, 10);
}

}  // namespace
}  // namespace kp::propose
