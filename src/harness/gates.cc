// SPDX-License-Identifier: Apache-2.0
#include "harness/gates.h"

#include <algorithm>
#include <cmath>

#include "harness/convert.h"

namespace kp::harness {
namespace {

constexpr double kUncentredShare = 0.2;  // of the class gate, relative to the plain norm
constexpr double kRoundings = 2;         // of the output itself
constexpr double kOwnSpreads = 3;        // of a reference that varies
constexpr double kTileSlack = 4;
constexpr double kElementSlack = 10;
constexpr double kScaleFloor = 1e-3;  // of the whole tensor's deviation, for quiet tiles
constexpr std::size_t kTile = 1024;
constexpr double kNearOverflow = 0.98;
constexpr double kWholeTolerance = 0.25;

/// How much further than the reference's own response to nudged inputs an honest kernel may go:
/// full precision pays for every accumulated rounding, the coarse classes mostly for their inputs.
double response_factor(Precision precision) {
  return precision == Precision::kF64 || precision == Precision::kF32 ? 16 : 2;
}

/// Sums over a range of elements.
struct Sums {
  double count = 0, error2 = 0, value = 0, value2 = 0, response2 = 0, rounding2 = 0;

  double norm() const { return std::sqrt(value2); }
  double centred_norm() const {
    const double centred = count > 0 ? value2 - value * value / count : 0;
    // The difference of two sums: below its own rounding it is nothing.
    return centred > 1e-12 * value2 ? std::sqrt(centred) : 0;
  }
};

class OutputCheck {
 public:
  explicit OutputCheck(const GateRequest& request)
      : request_(request), gate_(class_gate(request.precision, request.native)) {}

  GateVerdict verdict() {
    GateVerdict verdict;
    if ((verdict.failure = check_specials())) return verdict;
    if (!is_floating(request_.dtype)) {
      verdict.failure = check_integers();
      return verdict;
    }
    whole_ = sums(0, request_.got.size());
    const double scale = request_.zero_mean ? whole_.centred_norm() : whole_.norm();
    const double error = std::sqrt(whole_.error2), most = limit(whole_);
    verdict.error = scale > 0 ? error / scale : error;
    verdict.limit = scale > 0 ? most / scale : most;
    if (request_.whole && (verdict.failure = check_whole())) return verdict;
    if (error > most)
      verdict.failure = {"centred-l2", verdict.error, verdict.limit, worst(0, request_.got.size())};
    else if (auto tile = check_tiles())
      verdict.failure = tile;
    return verdict;
  }

  /// Of the whole tensor, absolute.
  double total_limit() {
    whole_ = sums(0, request_.got.size());
    return limit(whole_);
  }

 private:
  double expected(std::size_t i) const { return request_.expected[i]; }

  bool counts(std::size_t i) const {
    return std::isfinite(request_.got[i]) && std::isfinite(expected(i));
  }

  double response(std::size_t i) const {
    const double moved = request_.nudged[i] - expected(i);
    return std::isfinite(moved) ? moved : 0;
  }

  /// NaN where the reference has NaN, the same infinity where it has one after rounding.
  std::optional<GateFailure> check_specials() const {
    if (!is_floating(request_.dtype)) return {};
    const double largest = largest_of(request_.dtype);
    for (std::size_t i = 0; i < request_.got.size(); ++i) {
      const double got = request_.got[i], wanted = expected(i);
      if (std::isfinite(got) && std::fabs(wanted) <= largest) continue;
      const bool both_nan = std::isnan(got) && std::isnan(wanted);
      const bool same_side = std::signbit(got) == std::signbit(wanted) && !std::isnan(got);
      const bool both_beyond = same_side && std::fabs(wanted) >= kNearOverflow * largest &&
                               std::fabs(got) >= kNearOverflow * largest;
      // fp8 e4m3 has no infinity: what overflows is NaN or the largest value.
      const bool no_infinity = request_.dtype == DType::kF8E4M3 && std::isnan(got) &&
                               std::fabs(wanted) >= kNearOverflow * largest;
      if (both_nan || both_beyond || no_infinity) continue;
      return GateFailure{"special-values", 1, 0, i};
    }
    return {};
  }

  /// A result that the nudge moved stands on an edge (a tie, a rounding): both sides are right.
  std::optional<GateFailure> check_integers() const {
    for (std::size_t i = 0; i < request_.got.size(); ++i) {
      const double got = request_.got[i];
      if (got == rounded(request_.dtype, expected(i)) ||
          got == rounded(request_.dtype, request_.nudged[i]))
        continue;
      return GateFailure{"exact", std::fabs(got - expected(i)), 0, i};
    }
    return {};
  }

  std::optional<GateFailure> check_whole() const {
    for (std::size_t i = 0; i < request_.got.size(); ++i) {
      const double wanted = expected(i);
      if (std::nearbyint(wanted) != wanted || rounded(request_.dtype, wanted) != wanted) return {};
    }
    for (std::size_t i = 0; i < request_.got.size(); ++i) {
      const double error = std::fabs(request_.got[i] - expected(i));
      if (error > kWholeTolerance) return GateFailure{"exact", error, kWholeTolerance, i};
    }
    return {};
  }

  Sums sums(std::size_t begin, std::size_t end) const {
    Sums sums;
    for (std::size_t i = begin; i < end; ++i) {
      if (!counts(i)) continue;
      const double value = expected(i), error = request_.got[i] - value, moved = response(i);
      const double rounding = rounded(request_.dtype, value) - value;
      sums.count += 1;
      sums.error2 += error * error;
      sums.value += value;
      sums.value2 += value * value;
      sums.response2 += moved * moved;
      if (std::isfinite(rounding)) sums.rounding2 += rounding * rounding;
    }
    return sums;
  }

  /// The most ||y - r|| may be over a range.
  double limit(const Sums& range) const {
    const double share = std::sqrt(range.count / std::max(whole_.count, 1.0));
    const double quiet = kScaleFloor * whole_.centred_norm() * share;
    const double scale = request_.zero_mean ? std::max(range.centred_norm(), quiet) : range.norm();
    const double determined =
        std::hypot(response_factor(request_.precision) * std::sqrt(range.response2),
                   kRoundings * std::sqrt(range.rounding2));
    const double flushed = std::sqrt(range.count) * smallest_normal_of(request_.dtype);
    const double spread = kOwnSpreads * request_.spread * share;
    return std::max(
        {spread, gate_ * scale, kUncentredShare * gate_ * range.norm(), determined, flushed});
  }

  std::size_t worst(std::size_t begin, std::size_t end) const {
    std::size_t at = begin;
    double most = -1;
    for (std::size_t i = begin; i < end; ++i) {
      const double error = counts(i) ? std::fabs(request_.got[i] - expected(i)) : -1;
      if (error > most) most = error, at = i;
    }
    return at;
  }

  std::optional<GateFailure> check_tiles() const {
    const std::size_t count = request_.got.size();
    for (std::size_t begin = 0; begin < count;) {
      // The last tile takes what would be too little for one of its own.
      const std::size_t end = count - begin < kTile + kTile / 4 ? count : begin + kTile;
      if (auto failure = check_tile(begin, end)) return failure;
      begin = end;
    }
    return {};
  }

  std::optional<GateFailure> check_tile(std::size_t begin, std::size_t end) const {
    const Sums tile = sums(begin, end);
    const double error = std::sqrt(tile.error2), most = kTileSlack * limit(tile);
    if (error > most) return GateFailure{"row", error, most, worst(begin, end)};
    const double count = std::max(tile.count, 1.0);
    const double typical = limit(tile) / std::sqrt(count);
    for (std::size_t i = begin; i < end; ++i) {
      if (!counts(i)) continue;
      const double off = std::fabs(request_.got[i] - expected(i));
      const double own = std::max(gate_ * std::fabs(expected(i)),
                                  response_factor(request_.precision) * std::fabs(response(i)));
      const double allowed = kElementSlack * std::max(typical, own);
      if (off > allowed) return GateFailure{"element", off, allowed, i};
    }
    return {};
  }

  const GateRequest& request_;
  double gate_;
  Sums whole_;
};

}  // namespace

double class_gate(Precision precision, bool native) {
  switch (precision) {
    case Precision::kF64:
      return 1e-12;
    case Precision::kF32:
      return 2e-5;
    case Precision::kTf32:
    case Precision::kF16:
      return 1.5e-3;
    case Precision::kBf16:
      return native ? 4e-3 : 6e-3;
    case Precision::kF8:
      return 8e-2;
  }
  return 2e-5;
}

GateVerdict check_output(const GateRequest& request) { return OutputCheck(request).verdict(); }

double spread_share(const GateRequest& request, std::span<const double> other) {
  double distance2 = 0;
  for (std::size_t i = 0; i < other.size(); ++i) {
    const double apart = other[i] - request.got[i];
    if (std::isfinite(apart)) distance2 += apart * apart;
  }
  if (distance2 == 0) return 0;
  const double limit = is_floating(request.dtype) ? OutputCheck(request).total_limit() : 0;
  return limit > 0 ? std::sqrt(distance2) / limit : 2;
}

}  // namespace kp::harness
