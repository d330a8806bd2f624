// SPDX-License-Identifier: Apache-2.0
#include "model/dtype.h"

#include <array>

#include "base/check.h"

namespace kp {
namespace {

enum class Family { kFloating, kSigned, kUnsigned };

struct DTypeRow {
  DType type;
  std::string_view name;
  std::string_view long_name;  // as task definitions spell it
  std::size_t size;
  Family family;
};

constexpr std::array<DTypeRow, 15> kDTypes{{
    {DType::kF64, "f64", "float64", 8, Family::kFloating},
    {DType::kF32, "f32", "float32", 4, Family::kFloating},
    {DType::kF16, "f16", "float16", 2, Family::kFloating},
    {DType::kBf16, "bf16", "bfloat16", 2, Family::kFloating},
    {DType::kF8E4M3, "f8e4m3", "float8_e4m3fn", 1, Family::kFloating},
    {DType::kF8E5M2, "f8e5m2", "float8_e5m2", 1, Family::kFloating},
    {DType::kI64, "i64", "int64", 8, Family::kSigned},
    {DType::kI32, "i32", "int32", 4, Family::kSigned},
    {DType::kI16, "i16", "int16", 2, Family::kSigned},
    {DType::kI8, "i8", "int8", 1, Family::kSigned},
    {DType::kU64, "u64", "uint64", 8, Family::kUnsigned},
    {DType::kU32, "u32", "uint32", 4, Family::kUnsigned},
    {DType::kU16, "u16", "uint16", 2, Family::kUnsigned},
    {DType::kU8, "u8", "uint8", 1, Family::kUnsigned},
    {DType::kBool, "bool", "bool", 1, Family::kUnsigned},
}};

const DTypeRow& row(DType type) {
  for (const DTypeRow& entry : kDTypes) {
    if (entry.type == type) return entry;
  }
  check_failed("known DType", __FILE__, __LINE__, "element type outside the table");
}

struct PrecisionRow {
  Precision precision;
  std::string_view name;
};

constexpr std::array<PrecisionRow, 6> kPrecisionRows{{
    {Precision::kF64, "f64"},
    {Precision::kF32, "f32"},
    {Precision::kTf32, "tf32"},
    {Precision::kF16, "f16"},
    {Precision::kBf16, "bf16"},
    {Precision::kF8, "fp8"},
}};

}  // namespace

std::size_t size_of(DType type) { return row(type).size; }
bool is_floating(DType type) { return row(type).family == Family::kFloating; }
bool is_signed_integer(DType type) { return row(type).family == Family::kSigned; }
std::string_view name_of(DType type) { return row(type).name; }

std::optional<DType> dtype_from(std::string_view name) {
  for (const DTypeRow& entry : kDTypes) {
    if (entry.name == name || entry.long_name == name) return entry.type;
  }
  return std::nullopt;
}

std::string_view name_of(Precision precision) {
  for (const PrecisionRow& entry : kPrecisionRows) {
    if (entry.precision == precision) return entry.name;
  }
  check_failed("known Precision", __FILE__, __LINE__, "precision class outside the table");
}

std::optional<Precision> precision_from(std::string_view name) {
  for (const PrecisionRow& entry : kPrecisionRows) {
    if (entry.name == name) return entry.precision;
  }
  return std::nullopt;
}

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

}  // namespace kp
