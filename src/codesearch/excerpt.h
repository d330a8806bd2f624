// SPDX-License-Identifier: Apache-2.0
// The few lines of a chunk that show why it was found.
#pragma once
#include <string>
#include <string_view>

#include "codesearch/query.h"

namespace kp::codesearch {

constexpr std::size_t kMostExcerptBytes = 1200;

struct Excerpt {
  int line = 0;  // of its first line within the body, from 0
  std::string text;
};

/// The lines in a row that hold the most of the query's words, each word counted once; whole lines
/// unless a single one is too long.
Excerpt excerpt_of(std::string_view body, const Query& query);

}  // namespace kp::codesearch
