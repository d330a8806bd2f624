// SPDX-License-Identifier: Apache-2.0
#include "harness/gates.h"

#include <algorithm>
#include <cmath>

#include "harness/convert.h"

namespace kp::harness {
namespace {

constexpr double kWholeTolerance = 0.25;

/// How much further than the reference's own response to nudged inputs an honest kernel may go:
/// full precision pays for every accumulated rounding, the coarse classes mostly for their inputs.
double response_factor(Precision precision) {
  return precision == Precision::kF64 || precision == Precision::kF32 ? 16 : 2;
}

/// One tile with what surrounds it, judged.
class TileCheck {
 public:
  TileCheck(const rules::Gate& gate, const rules::Sums& whole, const GateRequest& tile,
            std::size_t begin)
      : gate_(gate), whole_(whole), tile_(tile), begin_(begin) {}

  std::optional<GateFailure> failure(const rules::Sums& sums) const {
    const double own = rules::limit(gate_, sums, whole_);
    const double error = std::sqrt(sums.error2), most = rules::kTileSlack * own;
    if (error > most) return GateFailure{"row", error, most, begin_ + worst()};
    for (std::size_t i = 0; i < tile_.got.size(); ++i) {
      if (!rules::counts(tile_.got[i], tile_.expected[i])) continue;
      const double off = std::fabs(tile_.got[i] - tile_.expected[i]);
      const double moved = rules::response(tile_.expected[i], tile_.nudged[i]);
      const double allowed = rules::element_limit(gate_, sums, own, tile_.expected[i], moved);
      if (off > allowed) return GateFailure{"element", off, allowed, begin_ + i};
    }
    return {};
  }

  std::size_t worst() const {
    std::size_t at = 0;
    double most = -1;
    for (std::size_t i = 0; i < tile_.got.size(); ++i) {
      if (!rules::counts(tile_.got[i], tile_.expected[i])) continue;
      const double error = std::fabs(tile_.got[i] - tile_.expected[i]);
      if (error > most) most = error, at = i;
    }
    return at;
  }

 private:
  const rules::Gate& gate_;
  const rules::Sums& whole_;
  const GateRequest& tile_;
  std::size_t begin_;
};

GateRequest range_of(const GateRequest& request, std::size_t begin, std::size_t end) {
  GateRequest range = request;
  range.got = request.got.subspan(begin, end - begin);
  range.expected = request.expected.subspan(begin, end - begin);
  range.nudged = request.nudged.subspan(begin, end - begin);
  return range;
}

rules::Sums sums_of(const GateRequest& request) {
  rules::Sums sums;
  for (std::size_t i = 0; i < request.got.size(); ++i) {
    const double got = request.got[i], wanted = request.expected[i];
    if (!rules::counts(got, wanted)) continue;
    rules::add(sums, got, wanted, rules::response(wanted, request.nudged[i]),
               rounded(request.dtype, wanted) - wanted);
  }
  return sums;
}

std::optional<std::size_t> first_special(const GateRequest& request, const rules::Gate& gate) {
  for (std::size_t i = 0; i < request.got.size(); ++i) {
    if (rules::special_fault(gate, request.got[i], request.expected[i])) return i;
  }
  return {};
}

/// A result that the nudge moved stands on an edge (a tie, a rounding): both sides are right.
std::optional<std::size_t> first_inexact(const GateRequest& request) {
  for (std::size_t i = 0; i < request.got.size(); ++i) {
    const double got = request.got[i];
    if (got != rounded(request.dtype, request.expected[i]) &&
        got != rounded(request.dtype, request.nudged[i]))
      return i;
  }
  return {};
}

std::optional<std::size_t> first_bad_tile(const GateRequest& request, const rules::Gate& gate,
                                          const rules::Sums& whole) {
  const std::size_t count = request.got.size();
  for (std::size_t begin = 0; begin < count;) {
    const std::size_t end = rules::tile_end(begin, count);
    const GateRequest tile = range_of(request, begin, end);
    if (TileCheck(gate, whole, tile, begin).failure(sums_of(tile))) return begin;
    begin = end;
  }
  return {};
}

OutputFacts facts_of(const GateRequest& request, const rules::Gate& gate) {
  OutputFacts facts;
  if (!is_floating(request.dtype)) {
    facts.inexact = first_inexact(request);
    return facts;
  }
  if ((facts.special = first_special(request, gate))) return facts;
  facts.whole = sums_of(request);
  facts.worst = TileCheck(gate, facts.whole, request, 0).worst();
  facts.bad_tile = first_bad_tile(request, gate, facts.whole);
  return facts;
}

std::optional<GateFailure> check_whole(const GateRequest& request) {
  for (const double wanted : request.expected) {
    if (std::nearbyint(wanted) != wanted || rounded(request.dtype, wanted) != wanted) return {};
  }
  for (std::size_t i = 0; i < request.got.size(); ++i) {
    const double error = std::fabs(request.got[i] - request.expected[i]);
    if (error > kWholeTolerance) return GateFailure{"exact", error, kWholeTolerance, i};
  }
  return {};
}

GateFailure inexact_failure(std::size_t index, const ElementReader& read) {
  const Elements one = read(index, index + 1);
  return {"exact", std::fabs(one.got[0] - one.expected[0]), 0, index};
}

std::optional<GateFailure> tile_failure(const GateRequest& request, std::size_t count,
                                        const OutputFacts& facts, const ElementReader& read) {
  const std::size_t begin = *facts.bad_tile;
  const Elements elements = read(begin, rules::tile_end(begin, count));
  GateRequest tile = request;
  tile.got = elements.got;
  tile.expected = elements.expected;
  tile.nudged = elements.nudged;
  return TileCheck(gate_of(request), facts.whole, tile, begin).failure(sums_of(tile));
}

}  // namespace

rules::Gate gate_of(const GateRequest& request) {
  const bool floating = is_floating(request.dtype);
  return {.share = class_gate(request.precision, request.native),
          .response_factor = response_factor(request.precision),
          .spread = request.spread,
          .largest = floating ? largest_of(request.dtype) : 0,
          .smallest_normal = floating ? smallest_normal_of(request.dtype) : 0,
          .slack = request.slack,
          .zero_mean = request.zero_mean ? 1.0 : 0.0,
          // fp8 e4m3 has no infinity: what overflows is NaN or the largest value.
          .no_infinity = request.dtype == DType::kF8E4M3 ? 1.0 : 0.0};
}

GateVerdict decide(const GateRequest& request, std::size_t count, const OutputFacts& facts,
                   const ElementReader& read) {
  GateVerdict verdict;
  if (facts.special) verdict.failure = {"special-values", 1, 0, *facts.special};
  if (facts.inexact) verdict.failure = inexact_failure(*facts.inexact, read);
  if (verdict.failure || !is_floating(request.dtype)) return verdict;
  const rules::Sums& whole = facts.whole;
  const double scale = request.zero_mean ? rules::centred_norm(whole) : rules::norm(whole);
  const double error = std::sqrt(whole.error2), most = rules::limit(gate_of(request), whole, whole);
  verdict.error = scale > 0 ? error / scale : error;
  verdict.limit = scale > 0 ? most / scale : most;
  if (request.whole && (verdict.failure = check_whole(request))) return verdict;
  if (error > most)
    verdict.failure = {"centred-l2", verdict.error, verdict.limit, facts.worst};
  else if (facts.bad_tile)
    verdict.failure = tile_failure(request, count, facts, read);
  return verdict;
}

GateVerdict check_output(const GateRequest& request) {
  const auto read = [&request](std::size_t begin, std::size_t end) {
    const GateRequest range = range_of(request, begin, end);
    return Elements{{range.got.begin(), range.got.end()},
                    {range.expected.begin(), range.expected.end()},
                    {range.nudged.begin(), range.nudged.end()}};
  };
  return decide(request, request.got.size(), facts_of(request, gate_of(request)), read);
}

double spread_share(const GateRequest& request, std::span<const double> other) {
  double distance2 = 0;
  for (std::size_t i = 0; i < other.size(); ++i) {
    const double apart = other[i] - request.got[i];
    if (std::isfinite(apart)) distance2 += apart * apart;
  }
  if (distance2 == 0) return 0;
  if (!is_floating(request.dtype)) return 2;
  const rules::Sums whole = sums_of(request);
  const double limit = rules::limit(gate_of(request), whole, whole);
  return limit > 0 ? std::sqrt(distance2) / limit : 2;
}

}  // namespace kp::harness
