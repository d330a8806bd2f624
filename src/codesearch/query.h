// SPDX-License-Identifier: Apache-2.0
// Free text, as people and models write it, for the full-text index.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kp::codesearch {

struct Query {
  std::vector<std::string> words;        // lower case, each once, without words that all texts have
  std::vector<std::string> identifiers;  // lower case: of several words, such as make_tma_copy
};

/// kInvalidInput: no letter and no digit in it. Only the first 32 words count.
Result<Query> read_query(std::string_view text);

/// A word as FTS5 takes it: whatever stands between the quotes is text and no operator.
std::string phrase_of(std::string_view word);

}  // namespace kp::codesearch
