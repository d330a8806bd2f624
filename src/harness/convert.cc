// SPDX-License-Identifier: Apache-2.0
#include "harness/convert.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/check.h"

namespace kp::harness {
namespace {

/// A floating format of at most 16 bits.
struct Format {
  int mantissa = 0;        // stored bits
  int least_exponent = 0;  // of normal numbers
  double largest = 0;
  std::uint16_t infinity = 0;  // bit pattern; the NaN pattern when the format has no infinity
  std::uint16_t nan = 0;
  std::uint16_t sign = 0;
  bool has_infinity = true;
};

constexpr Format kHalf{10, -14, 65504, 0x7C00, 0x7E00, 0x8000, true};
constexpr Format kBfloat{7, -126, 3.3895313892515355e38, 0x7F80, 0x7FC0, 0x8000, true};
constexpr Format kE4m3{3, -6, 448, 0x7F, 0x7F, 0x80, false};
constexpr Format kE5m2{2, -14, 57344, 0x7C, 0x7E, 0x80, true};

const Format& format_of(DType type) {
  switch (type) {
    case DType::kF16:
      return kHalf;
    case DType::kBf16:
      return kBfloat;
    case DType::kF8E4M3:
      return kE4m3;
    default:
      KP_CHECK(type == DType::kF8E5M2, "a small floating type");
      return kE5m2;
  }
}

std::uint16_t to_small(const Format& format, double value) {
  const std::uint16_t sign = std::signbit(value) ? format.sign : std::uint16_t{0};
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | format.nan);
  const double magnitude = std::fabs(value);
  const int exponent = std::max(magnitude > 0 ? std::ilogb(magnitude) : format.least_exponent,
                                format.least_exponent);
  // In units of the last place at this exponent; nearbyint rounds to even.
  const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa - exponent));
  const double result = std::ldexp(units, exponent - format.mantissa);
  if (std::isinf(magnitude) || result > format.largest)
    return static_cast<std::uint16_t>(sign | format.infinity);
  // A carry into the next exponent works out by itself: the fields are adjacent.
  const int biased = exponent - format.least_exponent;
  const auto bits =
      static_cast<std::uint32_t>(units) + (static_cast<std::uint32_t>(biased) << format.mantissa);
  return static_cast<std::uint16_t>(sign | bits);
}

double from_small(const Format& format, std::uint16_t bits) {
  const std::uint16_t magnitude = bits & static_cast<std::uint16_t>(format.sign - 1);
  const double sign = (bits & format.sign) != 0 ? -1.0 : 1.0;
  if (format.has_infinity && magnitude == format.infinity)
    return sign * std::numeric_limits<double>::infinity();
  if (magnitude >= (format.has_infinity ? format.infinity : format.nan))
    return std::numeric_limits<double>::quiet_NaN();
  const int field = magnitude >> format.mantissa;
  const int fraction = magnitude & ((1 << format.mantissa) - 1);
  const int units = field == 0 ? fraction : fraction + (1 << format.mantissa);
  return sign * std::ldexp(units, std::max(field - 1, 0) + format.least_exponent - format.mantissa);
}

template <class T>
T to_element(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    if (std::isnan(value)) return 0;
    // The bounds as double: 2^63 and 2^64 are not reached by the largest values themselves.
    constexpr auto kLow = static_cast<double>(std::numeric_limits<T>::min());
    const double past = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const double near = std::nearbyint(value);
    if (near <= kLow) return std::numeric_limits<T>::min();
    return near >= past ? std::numeric_limits<T>::max() : static_cast<T>(near);
  }
}

template <class T>
void encode_as(std::span<const double> values, std::byte* out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T element = to_element<T>(values[i]);
    std::memcpy(out + i * sizeof(T), &element, sizeof(T));
  }
}

template <class T>
void decode_as(const std::byte* in, std::span<double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    T element;
    std::memcpy(&element, in + i * sizeof(T), sizeof(T));
    values[i] = static_cast<double>(element);
  }
}

/// Calls `visit` with a value of the C++ type behind every type that has one.
template <class Visit>
bool with_native(DType type, Visit visit) {
  switch (type) {
    case DType::kF64:
      visit(double{});
      return true;
    case DType::kF32:
      visit(float{});
      return true;
    case DType::kI64:
      visit(std::int64_t{});
      return true;
    case DType::kI32:
      visit(std::int32_t{});
      return true;
    case DType::kI16:
      visit(std::int16_t{});
      return true;
    case DType::kI8:
      visit(std::int8_t{});
      return true;
    case DType::kU64:
      visit(std::uint64_t{});
      return true;
    case DType::kU32:
      visit(std::uint32_t{});
      return true;
    case DType::kU16:
      visit(std::uint16_t{});
      return true;
    case DType::kU8:
      visit(std::uint8_t{});
      return true;
    default:
      return false;
  }
}

}  // namespace

void encode(DType type, std::span<const double> values, std::span<std::byte> bytes) {
  KP_CHECK(bytes.size() == values.size() * size_of(type), "one element for each value");
  if (with_native(type, [&](auto native) { encode_as<decltype(native)>(values, bytes.data()); }))
    return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (type == DType::kBool) {
      bytes[i] = std::byte{values[i] != 0};
      continue;
    }
    const std::uint16_t bits = to_small(format_of(type), values[i]);
    std::memcpy(&bytes[i * size_of(type)], &bits, size_of(type));
  }
}

void decode(DType type, std::span<const std::byte> bytes, std::span<double> values) {
  KP_CHECK(bytes.size() == values.size() * size_of(type), "one value for each element");
  if (with_native(type, [&](auto native) { decode_as<decltype(native)>(bytes.data(), values); }))
    return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, &bytes[i * size_of(type)], size_of(type));
    values[i] = type == DType::kBool ? bits : from_small(format_of(type), bits);
  }
}

double rounded(DType type, double value) {
  std::byte bytes[8];
  const std::span<std::byte> element(bytes, size_of(type));
  encode(type, std::span(&value, 1), element);
  double result = 0;
  decode(type, element, std::span(&result, 1));
  return result;
}

double largest_of(DType type) {
  if (type == DType::kF64) return std::numeric_limits<double>::max();
  if (type == DType::kF32) return std::numeric_limits<float>::max();
  return format_of(type).largest;
}

double smallest_normal_of(DType type) {
  if (type == DType::kF64) return std::numeric_limits<double>::min();
  if (type == DType::kF32) return std::numeric_limits<float>::min();
  return std::ldexp(1.0, format_of(type).least_exponent);
}

}  // namespace kp::harness
