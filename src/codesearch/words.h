// SPDX-License-Identifier: Apache-2.0
// Names as words: SM90_TMA_LOAD_MULTICAST and TmaLoadMulticast are both found by "tma load
// multicast".
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kp::codesearch {

/// The identifiers and numbers of a text, in order: runs of ASCII letters, digits and `_`.
std::vector<std::string_view> identifiers_of(std::string_view text);

/// The words of an identifier: split at `_`, before a capital after a small letter, and before the
/// last capital of a run that small letters follow (`TMALoad`: TMA, Load).
std::vector<std::string_view> words_of(std::string_view identifier);

/// `text` with the words of each camelCase identifier behind it, for the full-text index, which
/// splits at `_` by itself.
std::string with_words(std::string_view text);

std::string lower(std::string_view text);

}  // namespace kp::codesearch
