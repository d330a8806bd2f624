// SPDX-License-Identifier: Apache-2.0
// Elements of tensors as double and back. Independent of the virtual GPU's arithmetic, which it
// judges.
#pragma once
#include <cstddef>
#include <span>

#include "model/dtype.h"

namespace kp::harness {

/// Stores values as elements of `type`: round to nearest even; integers clamp, NaN becomes 0.
/// `bytes` has values.size() * size_of(type) bytes.
void encode(DType type, std::span<const double> values, std::span<std::byte> bytes);

/// The inverse. 64-bit integers beyond 2^53 lose their low bits.
void decode(DType type, std::span<const std::byte> bytes, std::span<double> values);

/// `value` after a round trip through `type`.
double rounded(DType type, double value);

/// Largest finite value and smallest positive normal one of a floating type.
double largest_of(DType type);
double smallest_normal_of(DType type);

}  // namespace kp::harness
