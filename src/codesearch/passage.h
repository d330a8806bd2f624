// SPDX-License-Identifier: Apache-2.0
// Lines of a text, bounded; for Index::read.
#pragma once
#include <string_view>

#include "base/result.h"
#include "codesearch/hit.h"

namespace kp::codesearch {

constexpr int kMostPassageLines = 400;
constexpr std::size_t kMostPassageBytes = 64u << 10;

/// Lines `first` to `last` of `text`, fewer where it ends or the limits are reached. kInvalidInput:
/// no such lines.
Result<Passage> passage_of(std::string_view path, std::string_view text, int first, int last);

}  // namespace kp::codesearch
