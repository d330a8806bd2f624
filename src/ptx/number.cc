// SPDX-License-Identifier: Apache-2.0
#include "ptx/number.h"

#include <bit>
#include <charconv>

namespace kp::ptx {
namespace {

constexpr std::uint64_t kSign64 = 1ull << 63;

std::optional<std::uint64_t> digits(std::string_view text, int radix) {
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits, radix);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return bits;
}

std::optional<Immediate> read_float_bits(std::string_view hex, std::size_t length, Type type) {
  const auto bits = hex.size() == length ? digits(hex, 16) : std::nullopt;
  if (!bits) return std::nullopt;
  return Immediate{*bits, type};
}

std::optional<Immediate> read_decimal_float(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return Immediate{std::bit_cast<std::uint64_t>(value), Type::kF64};
}

std::optional<Immediate> read_integer(std::string_view text, int radix) {
  const bool is_unsigned = text.ends_with('U') || text.ends_with('u');
  if (is_unsigned) text.remove_suffix(1);
  const auto bits = digits(text, radix);
  if (!bits) return std::nullopt;
  return Immediate{*bits, is_unsigned || *bits >= kSign64 ? Type::kU64 : Type::kS64};
}

}  // namespace

std::optional<Immediate> read_number(std::string_view text) {
  if (text.size() >= 2 && text[0] == '0') {
    switch (text[1] | 0x20) {
      case 'f':
        return read_float_bits(text.substr(2), 8, Type::kF32);
      case 'd':
        return read_float_bits(text.substr(2), 16, Type::kF64);
      case 'x':
        return read_integer(text.substr(2), 16);
      case 'b':
        return read_integer(text.substr(2), 2);
      default:
        break;
    }
  }
  if (text.find_first_of(".eE") != std::string_view::npos) return read_decimal_float(text);
  const bool octal = text.size() >= 2 && text[0] == '0' && text[1] >= '0' && text[1] <= '7';
  return read_integer(text, octal ? 8 : 10);
}

Immediate negate(Immediate value) {
  if (value.type == Type::kF32) {
    value.bits ^= 1ull << 31;
  } else if (value.type == Type::kF64) {
    value.bits ^= kSign64;
  } else {
    value.bits = ~value.bits + 1;
    value.type = Type::kS64;
  }
  return value;
}

std::uint64_t bits_in(const Immediate& value, unsigned bytes) {
  std::uint64_t bits = value.bits;
  if (value.type == Type::kF64 && bytes == 4)
    bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  if (value.type == Type::kF32 && bytes == 8)
    bits = std::bit_cast<std::uint64_t>(
        static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
  return bytes >= 8 ? bits : bits & ((1ull << (8 * bytes)) - 1);
}

}  // namespace kp::ptx
