// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cbor.h"

#include <array>
#include <optional>
#include <string>

namespace kp::device::cuda {
namespace {

constexpr std::size_t kDeepest = 32;
constexpr std::uint64_t kMostValues = 1u << 20;

enum Major : std::uint8_t { kUnsigned, kNegative, kBytes, kText, kArray, kMap, kTag, kSimple };

struct Head {
  Major major = kUnsigned;
  std::uint64_t argument = 0;
};

/// What lies open around the place that is read: values that are still to come.
struct Level {
  std::uint64_t left = 0;
  bool map = false;
  bool key_is_next() const { return map && left % 2 == 0; }
};

/// Walks over the bytes without recursion and without allocating: the library that builds values
/// does both as the sender tells it to, and throws where a length is absurd.
class Scan {
 public:
  explicit Scan(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  /// What is wrong, or null.
  const char* fault() {
    levels_[0] = {.left = 1};
    for (depth_ = 1; depth_ > 0;) {
      Level& level = levels_[depth_ - 1];
      if (level.left == 0) {
        --depth_;
        continue;
      }
      const bool key = level.key_is_next();
      --level.left;
      if (const char* wrong = value(key)) return wrong;
    }
    return bytes_.empty() ? nullptr : "bytes follow the value";
  }

 private:
  const char* value(bool key) {
    const std::optional<Head> head = next_head();
    if (!head) return "a value is cut off or of unknown length";
    if (++values_ > kMostValues) return "too many values";
    if (key && head->major != kText) return "a key is no text";
    if (head->major == kBytes || head->major == kText) return skip(head->argument);
    if (head->major == kArray) return descend(head->argument, false);
    if (head->major == kMap) return descend(head->argument, true);
    return head->major == kTag ? "a tag" : nullptr;
  }

  const char* skip(std::uint64_t count) {
    if (count > bytes_.size()) return "a text is longer than its frame";
    bytes_ = bytes_.subspan(static_cast<std::size_t>(count));
    return nullptr;
  }

  /// Each value takes a byte at least, so a length beyond the bytes that are left is a lie.
  const char* descend(std::uint64_t count, bool map) {
    if (count > bytes_.size()) return "a list is longer than its frame";
    if (depth_ == levels_.size()) return "values are nested too deep";
    levels_[depth_++] = {.left = map ? 2 * count : count, .map = map};
    return nullptr;
  }

  std::optional<Head> next_head() {
    if (bytes_.empty()) return std::nullopt;
    const auto major = static_cast<Major>(bytes_[0] >> 5);
    const unsigned low = bytes_[0] & 31u;
    bytes_ = bytes_.subspan(1);
    if (major == kSimple) return simple(low);
    if (low < 24) return Head{major, low};
    return low < 28 ? wide(major, std::size_t{1} << (low - 24)) : std::nullopt;
  }

  /// false, true, null and the three widths of floating-point numbers.
  std::optional<Head> simple(unsigned low) {
    if (low >= 20 && low <= 22) return Head{kSimple, low};
    return low >= 25 && low <= 27 ? wide(kSimple, std::size_t{1} << (low - 24)) : std::nullopt;
  }

  std::optional<Head> wide(Major major, std::size_t count) {
    if (count > bytes_.size()) return std::nullopt;
    std::uint64_t argument = 0;
    for (std::size_t i = 0; i < count; ++i) argument = argument << 8 | bytes_[i];
    bytes_ = bytes_.subspan(count);
    return Head{major, argument};
  }

  std::span<const std::uint8_t> bytes_;
  std::array<Level, kDeepest> levels_{};
  std::size_t depth_ = 0;
  std::uint64_t values_ = 0;
};

}  // namespace

Result<nlohmann::json> read_cbor(std::span<const std::uint8_t> bytes) {
  if (const char* wrong = Scan(bytes).fault()) {
    return fail(ErrorCode::kCorrupt, std::string("a message is not CBOR as we write it: ") + wrong);
  }
  constexpr bool kWhole = true, kMayThrow = false;
  nlohmann::json value = nlohmann::json::from_cbor(bytes.begin(), bytes.end(), kWhole, kMayThrow);
  if (value.is_discarded()) return fail(ErrorCode::kCorrupt, "a message is not CBOR");
  return value;
}

}  // namespace kp::device::cuda
