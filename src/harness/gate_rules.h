// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the gates, one definition for the host and for the device: compiled here by the
// host's compiler and, as the first part of the referee's kernels, by NVRTC. Hence no standard
// library. The reasons for every constant are in docs/harness.md.
#pragma once
#ifdef __CUDACC__
#define KP_RULE __device__ inline
#else
#include <cmath>
#define KP_RULE inline
#endif

namespace kp::harness::rules {

constexpr double kUncentredShare = 0.2;  // of the class gate, relative to the plain norm
constexpr double kRoundings = 2;         // of the output itself
constexpr double kOwnSpreads = 3;        // of a reference that varies
constexpr double kTileSlack = 4;
constexpr double kElementSlack = 10;
constexpr double kScaleFloor = 1e-3;  // of the whole tensor's deviation, for quiet tiles
constexpr unsigned long long kTile = 1024;
constexpr double kNearOverflow = 0.98;

/// What the gates of one output are made of. Plain doubles: kernels take it by value.
struct Gate {
  double share = 0;            // of the norm, by precision class
  double response_factor = 0;  // on the reference's own response to nudged inputs
  double spread = 0;           // of the reference itself, as a norm over the whole tensor
  double largest = 0, smallest_normal = 0;  // of the output's type; 0 for integers
  double slack = 1;        // on every limit; 2 where what is expected has an error of the class too
  double zero_mean = 0;    // flag: scales are deviations
  double no_infinity = 0;  // flag: what overflows is NaN
};

/// Sums over a range of elements where both sides are finite.
struct Sums {
  double count = 0, error2 = 0, value = 0, value2 = 0, response2 = 0, rounding2 = 0;
};

KP_RULE bool is_finite(double x) { return x - x == 0; }
KP_RULE bool is_nan(double x) { return x != x; }
KP_RULE double most(double a, double b) { return a > b ? a : b; }

KP_RULE bool counts(double got, double expected) { return is_finite(got) && is_finite(expected); }

/// How far the reference moved when its inputs were nudged.
KP_RULE double response(double expected, double nudged) {
  const double moved = nudged - expected;
  return is_finite(moved) ? moved : 0;
}

/// NaN where the reference has NaN, the same infinity where it has one after rounding.
KP_RULE bool special_fault(const Gate& gate, double got, double expected) {
  if (is_finite(got) && fabs(expected) <= gate.largest) return false;
  const bool both_nan = is_nan(got) && is_nan(expected);
  const bool same_side = (got < 0) == (expected < 0) && !is_nan(got);
  const bool beyond = fabs(expected) >= kNearOverflow * gate.largest;
  const bool both_beyond = same_side && beyond && fabs(got) >= kNearOverflow * gate.largest;
  const bool no_infinity = gate.no_infinity != 0 && is_nan(got) && beyond;
  return !(both_nan || both_beyond || no_infinity);
}

/// `rounding`: what storing `expected` in the output's type loses.
KP_RULE void add(Sums& sums, double got, double expected, double moved, double rounding) {
  const double error = got - expected;
  sums.count += 1;
  sums.error2 += error * error;
  sums.value += expected;
  sums.value2 += expected * expected;
  sums.response2 += moved * moved;
  if (is_finite(rounding)) sums.rounding2 += rounding * rounding;
}

KP_RULE void add(Sums& sums, const Sums& other) {
  sums.count += other.count;
  sums.error2 += other.error2;
  sums.value += other.value;
  sums.value2 += other.value2;
  sums.response2 += other.response2;
  sums.rounding2 += other.rounding2;
}

KP_RULE double norm(const Sums& sums) { return sqrt(sums.value2); }

KP_RULE double centred_norm(const Sums& sums) {
  const double centred = sums.count > 0 ? sums.value2 - sums.value * sums.value / sums.count : 0;
  // The difference of two sums: below its own rounding it is nothing.
  return centred > 1e-12 * sums.value2 ? sqrt(centred) : 0;
}

/// The most ||got - expected|| may be over a range of a tensor.
KP_RULE double limit(const Gate& gate, const Sums& range, const Sums& whole) {
  const double share = sqrt(range.count / most(whole.count, 1));
  const double quiet = kScaleFloor * centred_norm(whole) * share;
  const double scale = gate.zero_mean != 0 ? most(centred_norm(range), quiet) : norm(range);
  const double determined =
      hypot(gate.response_factor * sqrt(range.response2), kRoundings * sqrt(range.rounding2));
  const double flushed = sqrt(range.count) * gate.smallest_normal;
  const double spread = kOwnSpreads * gate.spread * share;
  const double allowed = most(most(gate.share * scale, kUncentredShare * gate.share * norm(range)),
                              most(determined, flushed));
  return gate.slack * most(spread, allowed);
}

/// The most one element of a tile may be off, when the tile itself may be off by `tile_limit`.
KP_RULE double element_limit(const Gate& gate, const Sums& tile, double tile_limit, double expected,
                             double moved) {
  const double typical = tile_limit / sqrt(most(tile.count, 1));
  const double own = most(gate.share * fabs(expected), gate.response_factor * fabs(moved));
  return kElementSlack * most(typical, gate.slack * own);
}

/// The last tile takes what would be too little for one of its own.
KP_RULE unsigned long long tile_count(unsigned long long elements) {
  const unsigned long long whole = elements / kTile;
  return whole == 0 || elements % kTile >= kTile / 4 ? (elements + kTile - 1) / kTile : whole;
}
KP_RULE unsigned long long tile_end(unsigned long long begin, unsigned long long elements) {
  return elements - begin < kTile + kTile / 4 ? elements : begin + kTile;
}

}  // namespace kp::harness::rules
