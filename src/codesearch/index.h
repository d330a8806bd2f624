// SPDX-License-Identifier: Apache-2.0
// A full-text index over source trees, such as a checkout of CUTLASS, for those who write kernels:
// built once, refreshed by the hash of each file, asked in free text. docs/codesearch.md.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/sqlite.h"
#include "codesearch/hit.h"
#include "codesearch/root.h"

namespace kp::codesearch {

constexpr int kMostHits = 50;

struct Refreshed {
  int files = 0;  // in the index now
  int added = 0, changed = 0, removed = 0;
};

class Index {
 public:
  /// Opens or creates the index of `roots` in `database`; empty: a file in cache_folder() whose
  /// name comes from the roots, replaced when it is damaged or of another version. Holds nothing
  /// before the first refresh. kNotFound: a root that is no folder; kCorrupt: a damaged `database`.
  static Result<Index> open(const std::vector<Path>& roots, const Path& database = {});
  /// Brings the index up to what the folders hold, in one transaction. kBusy while another process
  /// does.
  Result<Refreshed> refresh();
  /// The best first, at most `limit` (1 to kMostHits), at most two of one file. kInvalidInput: a
  /// query without a word.
  Result<std::vector<Hit>> search(std::string_view query, int limit);
  /// Lines `first_line` to `last_line` of the file as it is now, fewer at its end and never more
  /// than passage.h allows. Nothing outside of the roots is ever read (root.h).
  Result<Passage> read(std::string_view path, int first_line, int last_line);
  const Path& database() const { return file_; }

 private:
  /// A root and the first part of the paths in it; empty when there is one root only.
  struct Place {
    Root root;
    std::string name;
  };
  Index(std::vector<Place> places, Path file, Sqlite database)
      : places_(std::move(places)), file_(std::move(file)), database_(std::move(database)) {}
  static Result<std::vector<Place>> open_places(const std::vector<Path>& roots);
  Result<std::string> read_whole(std::string_view path) const;
  Result<std::string> like(std::string_view path);

  std::vector<Place> places_;
  Path file_;
  Sqlite database_;
};

}  // namespace kp::codesearch
