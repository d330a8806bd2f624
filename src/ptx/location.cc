// SPDX-License-Identifier: Apache-2.0
// `.loc` of code inlined from a header names the header's line and the call. A user looks for the
// line in the file that holds the kernel, so calls are followed outwards until that file is
// reached.
#include <algorithm>

#include "ptx/readers.h"

namespace kp::ptx {
namespace {

bool read_place(Cursor& cursor, Location& place) {
  std::uint64_t file = 0, line = 0, column = 0;
  if (!cursor.integer(file) || !cursor.integer(line) || !cursor.integer(column)) return false;
  constexpr std::uint64_t kMost = 1u << 30;
  if (std::max({file, line, column}) > kMost) return cursor.fail("a number of .loc is too large");
  place = {static_cast<int>(file), static_cast<int>(line), static_cast<int>(column)};
  return true;
}

}  // namespace

Location LocationReader::user_place(const Location& at, const Location& inlined_at) const {
  if (at.file == home_) return at;
  const auto outer = inlined_.find(key(inlined_at));
  return outer == inlined_.end() ? inlined_at : outer->second;
}

bool LocationReader::read(Cursor& cursor) {
  Location at;
  if (!read_place(cursor, at)) return false;
  if (home_ < 0) home_ = at.file;
  current_ = at;
  while (cursor.accept(',')) {
    std::string word;
    if (!cursor.word("an attribute of .loc", word)) return false;
    if (word == "function_name") {
      std::uint64_t offset = 0;
      if (!cursor.word("a label", word)) return false;
      if (cursor.accept('+') && !cursor.integer(offset)) return false;
    } else if (word == "inlined_at") {
      Location outer;
      if (!read_place(cursor, outer)) return false;
      current_ = user_place(at, outer);
      inlined_[key(at)] = current_;
    } else {
      return cursor.fail("unknown attribute of .loc");
    }
  }
  return true;
}

}  // namespace kp::ptx
