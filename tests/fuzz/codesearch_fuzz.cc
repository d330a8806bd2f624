// SPDX-License-Identifier: Apache-2.0
// Any text as a query, as a path, and as a file of each language: no syntax error of the full-text
// index, nothing read outside of the root, and pieces that hold together.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "codesearch/chunk.h"
#include "codesearch/excerpt.h"
#include "codesearch/index.h"
#include "codesearch/passage.h"
#include "codesearch/words.h"

namespace {

using namespace kp;              // NOLINT
using namespace kp::codesearch;  // NOLINT

constexpr int kHits = 5;
constexpr const char* kText = "void tma_load(int multicast);\nstruct TmaLoad {};\n";

struct Tree {
  TemporaryFolder folder = *TemporaryFolder::make("kernelpro-fuzz");
  Index index = make();

  Index make() {
    const Path root = folder.path() / "root";
    KP_CHECK(make_folder(root).has_value(), "there is room for a folder");
    KP_CHECK(write_file(root / "a.h", kText).has_value(), "and for a file");
    KP_CHECK(write_file(folder.path() / "outside.h", "outside\n").has_value(), "and another");
    auto opened = Index::open({root}, folder.path() / "index.db");
    KP_CHECK(opened.has_value(), "an index can be made");
    KP_CHECK(opened->refresh().has_value(), "and filled");
    return *std::move(opened);
  }
};

void check_error(const Error& error) {
  KP_CHECK(!error.message.empty(), "an error says what happened");
  KP_CHECK(!error.hint.empty(), "an error says what to do");
}

void check_query(Index& index, const std::string& text) {
  const auto hits = index.search(text, kHits);
  if (hits) {
    KP_CHECK(hits->size() <= 1, "the tree has one piece");
    return;
  }
  KP_CHECK(hits.error().code == ErrorCode::kInvalidInput, "only a query without words is refused");
  check_error(hits.error());
}

void check_path(Index& index, const std::string& text) {
  const auto passage = index.read(text, 1, 9);
  if (!passage) return check_error(passage.error());
  KP_CHECK(passage->text == kText, "there is one file to read");
}

void check_chunks(const char* path, const std::string& text) {
  int next = 1;
  const auto query = read_query(text.substr(0, 64));
  for (const Chunk& chunk : chunks_of(path, text)) {
    KP_CHECK(chunk.first_line >= next && chunk.last_line >= chunk.first_line, "lines go up");
    KP_CHECK(chunk.body.size() <= kMostChunkBytes || chunk.first_line == chunk.last_line,
             "only a single line may be long");
    next = chunk.last_line + 1;
    if (!query) continue;
    KP_CHECK(excerpt_of(chunk.body, *query).text.size() <= kMostExcerptBytes, "it is bounded");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Tree tree;
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_query(tree.index, text);
  check_path(tree.index, text);
  for (const char* path : {"a.cu", "a.py", "a.md", "a.rst"}) check_chunks(path, text);
  KP_CHECK(with_words(text).size() >= text.size(), "words are added, none is lost");
  (void)passage_of("a.h", text, 1, static_cast<int>(size % 500) + 1);
  return 0;
}
