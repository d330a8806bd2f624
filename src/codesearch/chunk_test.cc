// SPDX-License-Identifier: Apache-2.0
#include "codesearch/chunk.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace kp::codesearch {
namespace {

std::string function_of(const std::string& name, int lines) {
  std::string text = "void " + name + "(int x) {\n";
  for (int i = 2; i < lines; ++i) text += "  use(x);\n";
  return text + "}\n";
}

std::string ranges(const std::vector<Chunk>& chunks) {
  std::string text;
  for (const Chunk& chunk : chunks)
    text +=
        fmt::format("{}-{} {}; ", chunk.first_line, chunk.last_line, fmt::join(chunk.symbols, ","));
  return text;
}

TEST(Chunk, EachLargeDeclarationIsAPieceWithTheRemarkAboveIt) {
  const std::string text =
      function_of("one", 30) + "\n// Adds.\n" + function_of("two", 40) + function_of("three", 25);
  EXPECT_EQ(ranges(chunks_of("a.h", text)), "1-31 one; 32-72 two; 73-97 three; ");
}

TEST(Chunk, SmallDeclarationsShareAPiece) {
  const std::string text = function_of("one", 5) + function_of("two", 5) + function_of("three", 5);
  EXPECT_EQ(ranges(chunks_of("a.h", text)), "1-15 one,two,three; ");
}

TEST(Chunk, ALongDeclarationIsCutAtABlankLine) {
  std::string text = "void f(int x) {\n";
  for (int i = 2; i < 250; ++i) text += i % 30 == 0 ? "\n" : "  use(x);\n";
  text += "}\n";
  EXPECT_EQ(ranges(chunks_of("a.h", text)), "1-90 f; 91-180 ; 181-250 ; ");
}

TEST(Chunk, BodiesAreTheTextInOrderWithoutTheLicence) {
  const std::string licence = "/* Copyright\n * nobody\n */\n";
  const std::string text = function_of("one", 130) + function_of("two", 130);
  const std::string whole = licence + text;
  std::string joined;
  for (const Chunk& chunk : chunks_of("a.h", whole)) joined += chunk.body;
  EXPECT_EQ(joined, text);
}

TEST(Chunk, ARemarkAtTheTopThatIsNoLicenceStays) {
  EXPECT_EQ(chunks_of("a.h", "// What this is for.\nint x;\n").front().first_line, 1);
}

TEST(Chunk, BytesAreBoundedButForASingleLine) {
  const std::string row(3000, 'x'), endless(50'000, 'y');
  std::string text;
  for (int i = 0; i < 12; ++i) text += row + "\n";
  for (const Chunk& chunk : chunks_of("a.h", text))
    EXPECT_LE(chunk.body.size(), kMostChunkBytes) << chunk.first_line;
  EXPECT_EQ(ranges(chunks_of("a.h", "a;\n" + endless + "\nb;\n")), "1-1 ; 2-2 ; 3-3 ; ");
}

TEST(Chunk, NothingComesFromNothing) {
  EXPECT_TRUE(chunks_of("a.h", "").empty());
  EXPECT_TRUE(chunks_of("a.h", "\n\n").empty());
}

}  // namespace
}  // namespace kp::codesearch
