// SPDX-License-Identifier: Apache-2.0
#include "build/type_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace kp::build {
namespace {

using Named = std::pair<std::string_view, ElementType>;

constexpr std::array kScalars{
    Named{"float", {DType::kF32}},
    Named{"double", {DType::kF64}},
    Named{"half", {DType::kF16}},
    Named{"__half", {DType::kF16}},
    Named{"bool", {DType::kBool}},
    Named{"__nv_bfloat16", {DType::kBf16}},
    Named{"nv_bfloat16", {DType::kBf16}},
    Named{"__nv_fp8_e4m3", {DType::kF8E4M3}},
    Named{"__nv_fp8_e5m2", {DType::kF8E5M2}},
    Named{"int8_t", {DType::kI8}},
    Named{"uint8_t", {DType::kU8}},
    Named{"int16_t", {DType::kI16}},
    Named{"uint16_t", {DType::kU16}},
    Named{"int32_t", {DType::kI32}},
    Named{"uint32_t", {DType::kU32}},
    Named{"int64_t", {DType::kI64}},
    Named{"uint64_t", {DType::kU64}},
    Named{"size_t", {DType::kU64}},
    Named{"ptrdiff_t", {DType::kI64}},
    Named{"uint", {DType::kU32}},
    Named{"ushort", {DType::kU16}},
    Named{"half2", {DType::kF16, 2}},
    Named{"__half2", {DType::kF16, 2}},
    Named{"nv_bfloat162", {DType::kBf16, 2}},
    Named{"__nv_bfloat162", {DType::kBf16, 2}},
    Named{"__nv_fp8x2_e4m3", {DType::kF8E4M3, 2}},
    Named{"__nv_fp8x4_e4m3", {DType::kF8E4M3, 4}},
    Named{"__nv_fp8x2_e5m2", {DType::kF8E5M2, 2}},
    Named{"__nv_fp8x4_e5m2", {DType::kF8E5M2, 4}},
};

/// CUDA's vector types are these with 1 to 4 appended.
constexpr std::array kVectors{
    Named{"char", {DType::kI8}},      Named{"uchar", {DType::kU8}},
    Named{"short", {DType::kI16}},    Named{"ushort", {DType::kU16}},
    Named{"int", {DType::kI32}},      Named{"uint", {DType::kU32}},
    Named{"long", {DType::kI64}},     Named{"ulong", {DType::kU64}},
    Named{"longlong", {DType::kI64}}, Named{"ulonglong", {DType::kU64}},
    Named{"float", {DType::kF32}},    Named{"double", {DType::kF64}},
};

template <class Table>
std::optional<ElementType> find_named(const Table& table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [name](const Named& entry) { return entry.first == name; });
  if (found == table.end()) return {};
  return found->second;
}

std::optional<ElementType> named_type(std::string_view name) {
  if (auto scalar = find_named(kScalars, name)) return scalar;
  if (name.empty() || name.back() < '1' || name.back() > '4') return {};
  auto vector = find_named(kVectors, name.substr(0, name.size() - 1));
  if (vector) vector->lanes = name.back() - '0';
  return vector;
}

/// char, short, int, long and their signs, in any order.
std::optional<ElementType> integer_type(const std::vector<std::string_view>& words) {
  const auto count = [&](std::string_view word) {
    return std::count(words.begin(), words.end(), word);
  };
  const auto longs = count("long");
  const auto known =
      longs + count("unsigned") + count("signed") + count("char") + count("short") + count("int");
  if (words.empty() || known != static_cast<std::ptrdiff_t>(words.size())) return {};
  const bool is_unsigned = count("unsigned") > 0;
  if (count("char") > 0) return ElementType{is_unsigned ? DType::kU8 : DType::kI8};
  if (count("short") > 0) return ElementType{is_unsigned ? DType::kU16 : DType::kI16};
  if (longs > 0) return ElementType{is_unsigned ? DType::kU64 : DType::kI64};
  return ElementType{is_unsigned ? DType::kU32 : DType::kI32};
}

bool is_wide_integer(DType type) { return !is_floating(type) && size_of(type) >= 4; }

/// The unsigned integer in which a type is stored, or the type itself.
DType storage_of(DType type) {
  switch (type) {
    case DType::kF16:
    case DType::kBf16:
      return DType::kU16;
    case DType::kF8E4M3:
    case DType::kF8E5M2:
    case DType::kBool:
      return DType::kU8;
    default:
      return type;
  }
}

}  // namespace

std::optional<ElementType> element_type(const std::vector<std::string_view>& words) {
  if (auto integer = integer_type(words)) return integer;
  // Namespaces do not matter: std::uint8_t, cuda::std::uint8_t.
  if (words.empty()) return {};
  const bool qualified = words.size() == 1 || words[words.size() - 2] == ":";
  return qualified ? named_type(words.back()) : std::nullopt;
}

bool may_view(const ElementType& pointee, DType tensor) {
  if (pointee.element == tensor) return true;
  if (is_wide_integer(pointee.element) && pointee.lanes >= 2) return true;
  if (tensor == DType::kBool && pointee.element == DType::kI8) return true;
  return pointee.element == storage_of(tensor);
}

std::string spellings_of(DType tensor) {
  switch (tensor) {
    case DType::kF64:
      return "double or double2";
    case DType::kF32:
      return "float, float2 or float4";
    case DType::kF16:
      return "__half or __half2";
    case DType::kBf16:
      return "__nv_bfloat16 or __nv_bfloat162";
    case DType::kF8E4M3:
      return "__nv_fp8_e4m3 or unsigned char";
    case DType::kF8E5M2:
      return "__nv_fp8_e5m2 or unsigned char";
    case DType::kI64:
      return "long long or longlong2";
    case DType::kI32:
      return "int, int2 or int4";
    case DType::kI16:
      return "short, short2 or short4";
    case DType::kI8:
      return "signed char or char4";
    case DType::kU64:
      return "unsigned long long or ulonglong2";
    case DType::kU32:
      return "unsigned, uint2 or uint4";
    case DType::kU16:
      return "unsigned short, ushort2 or ushort4";
    case DType::kU8:
      return "unsigned char or uchar4";
    case DType::kBool:
      return "bool or unsigned char";
  }
  return "float";
}

}  // namespace kp::build
