// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu_value.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>

#include "base/text.h"

namespace kp::profile::ncu {
namespace {

constexpr std::size_t kLongestNumber = 48;  // characters; longer texts are no numbers
constexpr double kNsPerSecond = 1e9;

/// Units that ncu scales, and what one of them is in the base unit. Older versions (up to 2021)
/// wrote times and frequencies in full.
struct Scaled {
  std::string_view unit;
  double factor;
};
constexpr std::array kScaled{Scaled{"Kbyte", 1e3},      Scaled{"Mbyte", 1e6},
                             Scaled{"Gbyte", 1e9},      Scaled{"Tbyte", 1e12},
                             Scaled{"Pbyte", 1e15},     Scaled{"Khz", 1e3},
                             Scaled{"Mhz", 1e6},        Scaled{"Ghz", 1e9},
                             Scaled{"us", 1e3},         Scaled{"ms", 1e6},
                             Scaled{"s", kNsPerSecond}, Scaled{"usecond", 1e3},
                             Scaled{"msecond", 1e6},    Scaled{"second", kNsPerSecond}};

/// The unit of a rate's denominator, in seconds or bytes.
constexpr std::array kPer{Scaled{"ns", 1e-9},      Scaled{"us", 1e-6},      Scaled{"ms", 1e-3},
                          Scaled{"s", 1},          Scaled{"nsecond", 1e-9}, Scaled{"usecond", 1e-6},
                          Scaled{"msecond", 1e-3}, Scaled{"second", 1},     Scaled{"Kbyte", 1e3},
                          Scaled{"Mbyte", 1e6},    Scaled{"Gbyte", 1e9}};

template <std::size_t n>
double factor_in(const std::array<Scaled, n>& table, std::string_view unit) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Scaled& s) { return s.unit == unit; });
  return found == table.end() ? 1 : found->factor;
}

bool looks_like_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_digit(c) || c == ',' || c == '.' || c == '-';
  });
}

/// A total may be followed by its instances: "12 (0x100: 5; 0x110: 7)".
std::string_view without_instances(std::string_view text) {
  const std::size_t bracket = text.find(" (");
  return bracket == std::string_view::npos || bracket == 0 ? text : text.substr(0, bracket);
}

}  // namespace

std::optional<Style> style_of(std::string_view field) {
  const std::string_view text = trim(field);
  const std::size_t comma = text.rfind(',');
  const std::size_t point = text.rfind('.');
  if (!looks_like_number(text)) return std::nullopt;
  if (comma == std::string_view::npos) {
    // One point alone says nothing: 58.848 may be either.
    return point != text.find('.') ? std::optional(Style::kDecimalComma) : std::nullopt;
  }
  if (point != std::string_view::npos) {
    return point < comma ? Style::kDecimalComma : Style::kDecimalPoint;
  }
  if (comma != text.find(',')) return Style::kDecimalPoint;
  return text.size() - comma - 1 == 3 ? std::nullopt : std::optional(Style::kDecimalComma);
}

std::optional<double> value_of(std::string_view field, Style style) {
  const std::string_view text = without_instances(trim(field));
  if (text.empty() || text.size() > kLongestNumber) return std::nullopt;
  const char separator = style == Style::kDecimalPoint ? ',' : '.';
  std::array<char, kLongestNumber> digits{};
  std::size_t length = 0;
  for (const char c : text) {
    // Spaces separate thousands in some locales; the others are bytes of a no-break space.
    if (c == separator || c == ' ' || static_cast<unsigned char>(c) >= 0x80) continue;
    digits[length++] = c == ',' ? '.' : c;
  }
  return parse_real({digits.data(), length});
}

double factor_to_base(std::string_view unit) {
  const std::size_t slash = unit.find('/');
  const std::string_view top = unit.substr(0, slash);
  const double factor = factor_in(kScaled, top);
  if (slash == std::string_view::npos) return factor;
  return factor / factor_in(kPer, unit.substr(slash + 1));
}

}  // namespace kp::profile::ncu
