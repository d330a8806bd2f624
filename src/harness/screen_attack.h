// SPDX-License-Identifier: Apache-2.0
// Outputs that somebody could hand in without doing the work. What each stands for: docs/screen.md.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/dtype.h"

namespace kp::harness {

/// Which elements of an output an attack does not work for, and what it puts there.
enum class Part { kAll, kLastQuarter, kBeyondFirstTile, kRowTails };
enum class Fill {
  kZeros,
  kMean,         // of the expected output; the most frequent value of whole numbers
  kRowMeans,     // along the last dimension
  kOtherInputs,  // what the same weights give for other inputs
  kUnread,       // what comes out when the last quarter of each input is never read
  kUntouched,    // what an inout array held before
};

struct Attack {
  std::string_view name;  // "zeros", "last quarter zeros", ...
  Part part = Part::kAll;
  Fill fill = Fill::kZeros;
};
/// The only list.
std::span<const Attack> attacks();

/// One output with what an attack may put into it. Empty spans: there is no such thing.
struct AttackMaterial {
  DType dtype = DType::kF32;
  std::size_t rank = 1;
  std::size_t row = 1;  // extent of the last dimension
  std::span<const double> expected, other, unread, before;
};

/// The output that the attack hands in, rounded to its type; or why there is no such output.
using Forged = std::variant<std::vector<double>, std::string>;
Forged forge(const Attack& attack, const AttackMaterial& material);

/// Whether a forged output is the expected one up to the rounding of its type.
bool coincides(DType dtype, std::span<const double> forged, std::span<const double> expected);

/// torch.allclose(got, expected, atol = rtol = tolerance) in the output's type, which is how
/// KernelBench compares. For comparison with published claims.
bool all_close(DType dtype, std::span<const double> got, std::span<const double> expected,
               double tolerance);

}  // namespace kp::harness
