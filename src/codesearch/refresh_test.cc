// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "codesearch/tree_fixture.h"

namespace kp::codesearch {
namespace {

using Refresh = TreeTest;

std::string counts(const Result<Refreshed>& done) {
  if (!done) return done.error().text();
  return fmt::format("{} +{} ~{} -{}", done->files, done->added, done->changed, done->removed);
}

TEST_F(Refresh, FollowsWhatFilesAppearChangeAndGo) {
  write("a.h", "void alpha(int);\n");
  write("b/b.cu", "void beta(int);\n");
  Index index = open();
  EXPECT_EQ(counts(index.refresh()), "2 +2 ~0 -0");
  EXPECT_EQ(counts(index.refresh()), "2 +0 ~0 -0");
  write("a.h", "void gamma(int);\n");
  std::filesystem::remove(root() / "b/b.cu");
  write("c.py", "def delta(): pass\n");
  EXPECT_EQ(counts(index.refresh()), "2 +1 ~1 -1");
  EXPECT_EQ(first_path(index, "gamma"), "a.h");
  EXPECT_EQ(first_path(index, "delta"), "c.py");
  EXPECT_EQ(first_path(index, "alpha"), "nothing");
  EXPECT_EQ(first_path(index, "beta"), "nothing");
}

TEST_F(Refresh, AChangeOfTheSameSizeWithinTheSameTickIsSeen) {
  write("a.h", "void alpha(int);\n");
  Index index = fresh();
  const auto time = std::filesystem::last_write_time(root() / "a.h");
  write("a.h", "void omega(int);\n");
  std::filesystem::last_write_time(root() / "a.h", time);
  EXPECT_EQ(counts(index.refresh()), "1 +0 ~1 -0");
}

TEST_F(Refresh, ANewTimeAloneIsNoChange) {
  write("a.h", "void alpha(int);\n");
  Index index = fresh();
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(root() / "a.h", old);
  EXPECT_EQ(counts(index.refresh()), "1 +0 ~0 -0");
  EXPECT_EQ(first_path(index, "alpha"), "a.h");
}

TEST_F(Refresh, OnlySourceIsRead) {
  write("a.h", "void found(int);\n");
  write("found.png", "found");
  write("found.bin.h", std::string("found\0", 6));
  write("large.h", "// found\n" + std::string(2u << 20, 'x'));
  write(".git/found.h", "void found(int);\n");
  write("out/CMakeCache.txt", "");
  write("out/found.h", "void found(int);\n");
  write("build/kept.h", "void found(int);\n");
  std::filesystem::create_symlink("a.h", root() / "link.h");
  std::filesystem::create_directory_symlink(folder_.path(), root() / "loop");
  Index index = fresh();
  std::set<std::string> paths;
  for (const Hit& hit : hits(index, "found")) paths.insert(hit.path);
  EXPECT_EQ(paths, (std::set<std::string>{"a.h", "build/kept.h"}));
}

TEST_F(Refresh, ASecondProcessSeesWhatTheFirstBuilt) {
  write("a.h", "void alpha(int);\n");
  { Index index = fresh(); }
  Index again = open();
  EXPECT_EQ(first_path(again, "alpha"), "a.h");
}

TEST_F(Refresh, AnIndexThatIsBrokenOffHalfwayIsAsBefore) {
  write("a.h", "void alpha(int);\n");
  Index index = fresh();
  write("b.h", "void beta(int);\n");
  auto writer = Sqlite::open(database(), Sqlite::Access::kWrite);
  ASSERT_TRUE(writer);
  {
    auto unfinished = Transaction::begin(*writer);
    ASSERT_TRUE(writer->execute("DELETE FROM chunk; DELETE FROM file"));
    EXPECT_EQ(first_path(index, "alpha"), "a.h") << "readers do not wait for a writer";
  }
  EXPECT_EQ(counts(index.refresh()), "2 +1 ~0 -0");
}

TEST_F(Refresh, ADamagedIndexOfTheUsersOwnIsReportedAndKept) {
  write("a.h", "void alpha(int);\n");
  ASSERT_TRUE(write_file(database(), "this is no database at all, only some text in a file"));
  const auto opened = Index::open({root()}, database());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt);
  EXPECT_TRUE(std::filesystem::exists(database()));
}

TEST_F(Refresh, ADamagedIndexOfTheCacheIsBuiltAgain) {
  write("a.h", "void alpha(int);\n");
  ASSERT_EQ(::setenv("KERNELPRO_CACHE", (folder_.path() / "cache").c_str(), 1), 0);
  Path file;
  {
    auto index = Index::open({root()});
    ASSERT_TRUE(index);
    file = index->database();
  }
  ASSERT_TRUE(write_file(file, "this is no database at all, only some text in a file"));
  auto index = Index::open({root()});
  ASSERT_TRUE(index) << index.error().text();
  EXPECT_EQ(counts(index->refresh()), "1 +1 ~0 -0");
  ::unsetenv("KERNELPRO_CACHE");
}

TEST_F(Refresh, RootsThatAreMissingSaySo) {
  const auto none = Index::open({}, database());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().hint,
            "give one with --code-root DIR, or set KERNELPRO_CUTLASS to a checkout of CUTLASS");
  const auto absent = Index::open({folder_.path() / "absent"}, database());
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kp::codesearch
