// SPDX-License-Identifier: Apache-2.0
#include "codesearch/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "codesearch/words.h"

namespace kp::codesearch {
namespace {

constexpr std::size_t kMostWords = 32;
constexpr std::size_t kMostShown = 80;  // bytes of a query in a message

// English words that questions have and code does not.
constexpr std::array<std::string_view, 38> kStopWords{
    "a",    "an",   "and",  "any",  "are",    "as",    "at",   "be",  "by",    "can",
    "code", "does", "do",   "find", "how",    "i",     "in",   "is",  "it",    "me",
    "my",   "of",   "on",   "or",   "should", "show",  "that", "the", "there", "this",
    "to",   "uses", "used", "what", "where",  "which", "with", "you"};

void add_once(std::vector<std::string>& list, std::string word) {
  if (list.size() < kMostWords && std::find(list.begin(), list.end(), word) == list.end())
    list.push_back(std::move(word));
}

bool is_stop_word(std::string_view word) {
  return std::find(kStopWords.begin(), kStopWords.end(), word) != kStopWords.end();
}

}  // namespace

Result<Query> read_query(std::string_view text) {
  Query query, common;
  for (const std::string_view identifier : identifiers_of(text)) {
    const auto words = words_of(identifier);
    for (const std::string_view word : words) {
      const std::string small = lower(word);
      add_once(is_stop_word(small) ? common.words : query.words, small);
    }
    if (words.size() > 1) add_once(query.identifiers, lower(identifier));
  }
  if (query.words.empty()) query.words = std::move(common.words);
  if (!query.words.empty()) return query;
  return fail(ErrorCode::kInvalidInput,
              fmt::format("no word to search for in `{}`", text.substr(0, kMostShown)),
              "write a few words of what you look for, such as `tma load multicast`");
}

std::string phrase_of(std::string_view word) { return fmt::format("\"{}\"", word); }

}  // namespace kp::codesearch
