// SPDX-License-Identifier: Apache-2.0
// Element types of tensors and the precision classes of tasks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kp {

enum class DType : std::uint8_t {
  kF64,
  kF32,
  kF16,
  kBf16,
  kF8E4M3,
  kF8E5M2,
  kI64,
  kI32,
  kI16,
  kI8,
  kU64,
  kU32,
  kU16,
  kU8,
  kBool,
};

std::size_t size_of(DType type);  // bytes of one element
bool is_floating(DType type);
bool is_signed_integer(DType type);
std::string_view name_of(DType type);  // the plan's spelling: f32, bf16, i32, bool
/// Accepts the plan's spelling and that of task definitions (float32, bfloat16, int32, ...).
std::optional<DType> dtype_from(std::string_view name);

/// What a task allows its arithmetic to lose; the gate on centred relative L2 error belongs to the
/// class. Ordered from strict to loose: a candidate may only tighten.
enum class Precision : std::uint8_t { kF64, kF32, kTf32, kF16, kBf16, kF8 };
std::string_view name_of(Precision precision);
std::optional<Precision> precision_from(std::string_view name);
/// The gate on centred relative L2 error; `native`: inputs or outputs of 16 bits. The reasons are
/// in docs/harness.md.
double class_gate(Precision precision, bool native);

}  // namespace kp
