// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "codesearch/passage.h"
#include "codesearch/tree_fixture.h"

namespace kp::codesearch {
namespace {

using Read = TreeTest;

TEST_F(Read, GivesTheLinesThatWereAskedFor) {
  write("a/b.h", "one\ntwo\r\nthree\nfour");
  Index index = fresh();
  const auto passage = index.read("a/b.h", 2, 3);
  ASSERT_TRUE(passage) << passage.error().text();
  EXPECT_EQ(passage->text, "two\nthree\n");
  EXPECT_EQ(passage->lines, 4);
  EXPECT_EQ(index.read("./a//b.h", 4, 99)->text, "four\n");
  EXPECT_EQ(index.read("a/b.h", 4, 99)->last_line, 4);
}

TEST_F(Read, NothingOutsideOfTheRootIsReached) {
  write("a/b.h", "inside\n");
  ASSERT_TRUE(write_file(folder_.path() / "secret.h", "secret\n"));
  std::filesystem::create_symlink("../../secret.h", root() / "a/link.h");
  std::filesystem::create_directory_symlink("..", root() / "up");
  Index index = fresh();
  for (const std::string path : {"../secret.h", "a/../../secret.h", "/etc/passwd", "a/link.h",
                                 "up/secret.h", "a/..", "..", "", ".", "a", "a/b.h/c"}) {
    const std::string error = reading_error(index, path);
    EXPECT_EQ(error.find("secret\n"), std::string::npos) << path;
    EXPECT_NE(error.find("hint: "), std::string::npos) << path << ": " << error;
  }
  EXPECT_EQ(reading_error(index, "../secret.h"),
            "`../secret.h` leaves the root\n"
            "hint: give the path as a search prints it, relative to the root");
  EXPECT_EQ(reading_error(index, std::string_view("a/b.h\0c", 7)).find("inside"),
            std::string::npos);
}

TEST_F(Read, AWrongPathNamesTheFileThatIsMeant) {
  write("include/cute/tensor.hpp", "x\n");
  Index index = fresh();
  EXPECT_EQ(reading_error(index, "cute/tensor.hpp"),
            "there is no file `cute/tensor.hpp`\nhint: did you mean `include/cute/tensor.hpp`?");
}

TEST_F(Read, LinesThatAreNotThereAreAnError) {
  write("a.h", "one\n");
  Index index = fresh();
  EXPECT_EQ(reading_error(index, "a.h", 5, 9),
            "`a.h` has 1 lines, there is no line 5\nhint: give lines within 1:1");
  EXPECT_EQ(
      reading_error(index, "a.h", 3, 2),
      "there are no lines 3:2\nhint: lines count from 1; give the first and the last, such as "
      "1:80");
}

TEST_F(Read, LongFilesComeInBoundedParts) {
  std::string text;
  for (int i = 1; i <= 1000; ++i) text += fmt::format("line {}\n", i);
  write("a.h", text);
  write("wide.h", std::string(100'000, 'x') + "\n");
  Index index = fresh();
  EXPECT_EQ(index.read("a.h", 11, 1'000'000)->last_line, 10 + kMostPassageLines);
  EXPECT_NE(reading_error(index, "wide.h").find("too long"), std::string::npos);
}

TEST_F(Read, WithSeveralRootsPathsBeginWithTheirNames) {
  write("a.h", "void alpha(int);\n");
  const Path other = folder_.path() / "more/tree";
  ASSERT_TRUE(make_folder(other));
  ASSERT_TRUE(write_file(other / "b.h", "void beta(int);\n"));
  auto index = Index::open({root(), other, root()}, database());
  ASSERT_TRUE(index);
  ASSERT_TRUE(index->refresh());
  EXPECT_EQ(first_path(*index, "alpha"), "tree/a.h");
  EXPECT_EQ(first_path(*index, "beta"), "tree-2/b.h");
  EXPECT_EQ(index->read("tree-2/b.h", 1, 1)->text, "void beta(int);\n");
  EXPECT_EQ(reading_error(*index, "a.h"),
            "`a.h` begins with the name of no root\nhint: begin with one of tree, tree-2");
  EXPECT_NE(reading_error(*index, "tree/../more/tree/b.h").find("leaves the root"),
            std::string::npos);
}

}  // namespace
}  // namespace kp::codesearch
