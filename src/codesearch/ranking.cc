// SPDX-License-Identifier: Apache-2.0
#include "codesearch/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "codesearch/excerpt.h"
#include "codesearch/expression.h"
#include "codesearch/words.h"

namespace kp::codesearch {
namespace {

// How many chunks of the full-text order are looked at again for one that is wanted.
constexpr int kCandidates = 8;
constexpr int kMostOfOneFile = 2;
constexpr double kWholeName = 0.5;  // of the score, for each identifier of the query defined there

constexpr double kHeader = 1.15;  // what can be included, before what includes it

// bm25 with the weights of symbols, path and body.
constexpr std::string_view kSelect =
    "SELECT best.score, file.path, chunk.first_line, chunk.last_line, chunk.symbols, chunk.body "
    "FROM (SELECT rowid AS id, rank AS score FROM words WHERE words MATCH ? "
    "AND rank MATCH 'bm25(6.0, 3.0, 1.0)' ORDER BY rank LIMIT ?) AS best "
    "JOIN chunk ON chunk.id = best.id JOIN file ON file.id = chunk.file ORDER BY best.score";

struct Candidate {
  Hit hit;
  std::string body;
};

std::vector<std::string> symbols_of(const std::string& lines) {
  std::vector<std::string> symbols;
  for (const std::string_view name : split_lines(lines)) symbols.emplace_back(name);
  return symbols;
}

bool is_header(std::string_view path) {
  return path.ends_with(".h") || path.ends_with(".hpp") || path.ends_with(".cuh") ||
         path.ends_with(".inl");
}

/// What the full-text score cannot see: that a whole identifier of the query is defined here, and
/// that it is a header.
double bonus(const Hit& hit, const Query& query) {
  double factor = is_header(hit.path) ? kHeader : 1;
  for (const std::string& symbol : hit.symbols) {
    const std::string small = lower(symbol);
    const auto& names = query.identifiers;
    if (std::find(names.begin(), names.end(), small) != names.end()) factor += kWholeName;
  }
  return factor;
}

Result<std::vector<Candidate>> candidates_of(Sqlite& database, const std::string& expression,
                                             int limit) {
  KP_TRY(Statement select, database.prepare(kSelect));
  select.bind(expression).bind(std::int64_t{limit});
  std::vector<Candidate> candidates;
  for (;;) {
    KP_TRY(const bool row, select.step());
    if (!row) return candidates;
    Hit hit{.path = select.text(1),
            .first_line = static_cast<int>(select.integer(2)),
            .last_line = static_cast<int>(select.integer(3)),
            .score = -select.real(0),  // FTS5 gives the best the least
            .symbols = symbols_of(select.text(4))};
    candidates.push_back({std::move(hit), select.text(5)});
  }
}

void add_excerpt(Candidate& candidate, const Query& query) {
  Excerpt excerpt = excerpt_of(candidate.body, query);
  candidate.hit.excerpt_line = candidate.hit.first_line + excerpt.line;
  candidate.hit.excerpt = std::move(excerpt.text);
}

}  // namespace

Result<std::vector<Hit>> best_hits(Sqlite& database, const Query& query, int limit) {
  KP_TRY(const std::string expression, expression_for(database, query));
  if (expression.empty()) return std::vector<Hit>{};
  KP_TRY(auto candidates, candidates_of(database, expression, limit * kCandidates));
  for (Candidate& candidate : candidates) candidate.hit.score *= bonus(candidate.hit, query);
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.hit.score > b.hit.score; });
  std::vector<Hit> hits;
  std::map<std::string, int> of_file;
  for (Candidate& candidate : candidates) {
    if (static_cast<int>(hits.size()) == limit) break;
    if (++of_file[candidate.hit.path] > kMostOfOneFile) continue;
    add_excerpt(candidate, query);
    hits.push_back(std::move(candidate.hit));
  }
  return hits;
}

}  // namespace kp::codesearch
