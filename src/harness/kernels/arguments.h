// SPDX-License-Identifier: Apache-2.0
// What the referee's kernels are given and give back; compiled on both sides, so that there is one
// layout. Every member has eight bytes.
#pragma once
#ifdef __CUDACC__
typedef unsigned long long kp_word;
#else
#include <cstdint>

#include "harness/gate_rules.h"
using kp_word = std::uint64_t;
#endif

namespace kp::harness::referee {

enum FillKind : int {
  kFillNormal,   // mean 0, deviation 1
  kFillUniform,  // [low, high)
  kFillInteger,  // [low, high]
  kFillBits,     // any pattern
  kFillNan,      // NaNs with random payload; integers: any pattern
  kFillZero,
  kFillCopy,  // the elements at `source`
};

/// What drawn values have in common (model/structure.h, whose forms have the same numbers).
enum FillForm : int {
  kFormNone,
  kFormUpper,
  kFormLower,
  kFormSymmetric,
  kFormDiagonal,
  kFormAscending,
};

/// Elements [first, first + count) of the array at `address`, drawn by (key, stream, index).
struct FillArguments {
  kp_word address = 0, first = 0, count = 0;
  kp_word kind = 0, key = 0, stream = 0;
  double low = 0, high = 1;
  kp_word dtype = 0;                        // values are rounded to this type (DType)
  kp_word storage = 0;                      // and stored as this one
  double nudge = 0;                         // largest relative change after rounding; 0: none
  double least = 0;                         // nudged values below it become 0
  kp_word source = 0;                       // of `dtype`; kFillCopy
  kp_word form = 0, rows = 1, columns = 1;  // of drawn values: of the matrices in the array
  kp_word two = 0;                          // whether each is one of these:
  double two_low = 0, two_high = 1, share = 0.5;
};

/// How a range compares with what a filling wrote into it.
struct RecallResult {
  kp_word same = 0, first_same = ~0ull;
  kp_word different = 0, first_different = ~0ull;
};
struct RecallArguments {
  FillArguments filling;
  kp_word result = 0;  // address of a RecallResult
};

struct FingerprintArguments {
  kp_word address = 0, bytes = 0;
  kp_word key_low = 0, key_high = 0;
  kp_word result = 0;  // address of two words
};

/// What one tile, or a whole tensor, adds up to.
struct TileRecord {
  rules::Sums sums;
  double worst_error = -1;
  kp_word worst = 0;  // flat index
  kp_word first_special = ~0ull, first_inexact = ~0ull;
};
struct CompareResult {
  TileRecord whole;
  kp_word first_bad_tile = ~0ull;  // number of the tile
};
struct CompareArguments {
  kp_word got = 0, expected = 0, nudged = 0, count = 0;  // nudged 0: as expected
  kp_word dtype = 0, expected_dtype = 0;
  kp_word records = 0;  // address of a TileRecord for each tile
  kp_word result = 0;   // address of a CompareResult
  rules::Gate gate;
};

}  // namespace kp::harness::referee
