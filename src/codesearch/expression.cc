// SPDX-License-Identifier: Apache-2.0
#include "codesearch/expression.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kp::codesearch {
namespace {

// Ranking takes about 2 us a chunk (bench/codesearch_bench.cc), so this is some 6 ms.
constexpr std::int64_t kMostRanked = 3'000;

/// How many chunks match. Counting reads no rows: it takes a twentieth of ranking.
Result<std::int64_t> matches(Sqlite& database, const std::string& expression) {
  KP_TRY(Statement count, database.prepare("SELECT count(*) FROM words WHERE words MATCH ?"));
  KP_TRY(const bool row, count.bind(expression).step());
  return row ? count.integer(0) : 0;
}

struct Term {
  std::string word;  // quoted
  std::int64_t chunks = 0;
};

/// The words that stand anywhere, the rarest first.
Result<std::vector<Term>> terms_of(Sqlite& database, const Query& query) {
  std::vector<Term> terms;
  for (const std::string& word : query.words) {
    Term term{phrase_of(word)};
    KP_TRY(term.chunks, matches(database, term.word));
    if (term.chunks > 0) terms.push_back(std::move(term));
  }
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return a.chunks < b.chunks; });
  return terms;
}

std::string any_of(const std::vector<std::string>& words) { return join(words, " OR "); }

std::string in_names(const std::string& expression) {
  return fmt::format("{{symbols path}} : ({})", expression);
}

/// For words that are all too frequent: chunks with all of them, or with one in a name.
Result<std::string> narrow(Sqlite& database, const std::vector<std::string>& words,
                           std::int64_t most) {
  const std::string all = words.size() > 1 ? join(words, " AND ") : in_names(words.front());
  KP_TRY(const std::int64_t chunks, matches(database, all));
  if (chunks > 0 && chunks <= most) return all;
  const std::string named = chunks == 0 ? in_names(any_of(words)) : in_names(join(words, " AND "));
  KP_TRY(const std::int64_t named_chunks, matches(database, named));
  if (named_chunks > 0 && named_chunks <= most) return named;
  return std::string();
}

}  // namespace

Result<std::string> expression_for(Sqlite& database, const Query& query) {
  KP_TRY(const auto terms, terms_of(database, query));
  std::vector<std::string> all, rare, frequent;
  std::int64_t left = kMostRanked;
  for (const Term& term : terms) {
    all.push_back(term.word);
    (term.chunks <= left ? rare : frequent).push_back(term.word);
    if (term.chunks <= left) left -= term.chunks;
  }
  if (frequent.empty()) return any_of(all);
  KP_TRY(const std::string narrowed, narrow(database, frequent, rare.empty() ? kMostRanked : left));
  if (!narrowed.empty()) rare.push_back('(' + narrowed + ')');
  // Nothing narrows them down: the rarest alone.
  if (rare.empty()) rare.push_back(frequent.front());
  return fmt::format("({}) AND ({})", any_of(rare), any_of(all));
}

}  // namespace kp::codesearch
