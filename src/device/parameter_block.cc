// SPDX-License-Identifier: Apache-2.0
#include "device/parameter_block.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "base/check.h"

namespace kp::device {
namespace {

std::string describe(const build::KernelParameter& parameter) {
  return parameter.name.empty() ? fmt::format("a parameter of type `{}`", parameter.type)
                                : fmt::format("parameter `{} {}`", parameter.type, parameter.name);
}

/// The low `parameter.bytes` bytes of `bits`: the host is little-endian, as GPUs are.
void store(const build::KernelParameter& parameter, std::uint64_t bits,
           std::span<std::byte> block) {
  static_assert(std::endian::native == std::endian::little);
  KP_CHECK(parameter.offset + std::size_t{parameter.bytes} <= block.size(),
           "the block is made from the same signature");
  std::memcpy(block.data() + parameter.offset, &bits, parameter.bytes);
}

bool is_word(const build::KernelParameter& parameter) {
  return !parameter.pointer && std::has_single_bit(parameter.bytes) && parameter.bytes <= 8;
}

struct Range {
  std::int64_t low = 0;
  std::uint64_t high = 0;
};
/// What the parameter holds; one whose type nobody recognised may be signed or not.
Range range_of(const build::KernelParameter& parameter) {
  const unsigned bits = parameter.bytes * 8;
  const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const auto low = -static_cast<std::int64_t>(all >> 1) - 1;
  if (!parameter.element) return {low, all};
  return is_signed_integer(*parameter.element) ? Range{low, all >> 1} : Range{0, all};
}

/// 16 bits of a float to the nearest, ties to even; NaN stays NaN.
std::uint64_t bfloat16_bits(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (std::isnan(value)) return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

Result<std::uint64_t> floating_bits(const build::KernelParameter& parameter, double value) {
  switch (*parameter.element) {
    case DType::kF64:
      return std::bit_cast<std::uint64_t>(value);
    case DType::kF32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case DType::kF16:
      return std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
    case DType::kBf16:
      return bfloat16_bits(value);
    default:
      return fail(ErrorCode::kUnsupported,
                  fmt::format("{} cannot be passed by value", describe(parameter)),
                  "pass it as float and convert it in the kernel");
  }
}

}  // namespace

Result<void> pack_integer(const build::KernelParameter& parameter, std::int64_t value,
                          std::span<std::byte> block) {
  if (parameter.element && is_floating(*parameter.element) && !parameter.pointer) {
    return pack_real(parameter, static_cast<double>(value), block);
  }
  if (!is_word(parameter)) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("{} cannot take the number {}", describe(parameter), value),
                "pass a tensor or a buffer to a pointer, and numbers to numbers");
  }
  const Range range = range_of(parameter);
  const bool fits =
      value < 0 ? value >= range.low : static_cast<std::uint64_t>(value) <= range.high;
  if (!fits) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("{} cannot hold {}: it takes {} to {}", describe(parameter), value,
                            range.low, range.high),
                "declare the parameter as long long");
  }
  store(parameter, static_cast<std::uint64_t>(value), block);
  return {};
}

Result<void> pack_real(const build::KernelParameter& parameter, double value,
                       std::span<std::byte> block) {
  if (parameter.pointer || !parameter.element) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("{} cannot take the number {}", describe(parameter), value),
                "pass a tensor or a buffer to a pointer, and numbers to numbers");
  }
  if (!is_floating(*parameter.element)) {
    if (value != std::floor(value) || std::abs(value) > 0x1p53) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("{} cannot hold {}", describe(parameter), value),
                  "pass a whole number, or declare the parameter as float or double");
    }
    return pack_integer(parameter, static_cast<std::int64_t>(value), block);
  }
  KP_TRY(const std::uint64_t bits, floating_bits(parameter, value));
  store(parameter, bits, block);
  return {};
}

Result<void> pack_address(const build::KernelParameter& parameter, std::uint64_t address,
                          std::span<std::byte> block) {
  if (!parameter.pointer || parameter.bytes != sizeof address) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("{} is not a pointer and cannot take a tensor", describe(parameter)),
                "declare the parameter as a pointer");
  }
  store(parameter, address, block);
  return {};
}

}  // namespace kp::device
