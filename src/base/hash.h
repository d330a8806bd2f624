// SPDX-License-Identifier: Apache-2.0
// Content addresses: XXH3-128, printed as 32 hexadecimal digits. Not for secrets.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kp {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const Hash128&) const = default;
};

Hash128 hash_bytes(std::span<const std::byte> bytes);
Hash128 hash_text(std::string_view text);
std::string to_hex(const Hash128& hash);
/// hash_text over the parts with their lengths, so that {"ab","c"} and {"a","bc"} differ.
std::string content_address(std::initializer_list<std::string_view> parts);

}  // namespace kp
