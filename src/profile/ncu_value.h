// SPDX-License-Identifier: Apache-2.0
// Numbers and units as Nsight Compute writes them.
#pragma once
#include <optional>
#include <string_view>

namespace kp::profile::ncu {

/// How the program's locale writes numbers: 1,234.50 or 1.234,50.
enum class Style { kDecimalPoint, kDecimalComma };

/// kDecimalComma when `field` is a number that cannot be meant otherwise ("66,8", "1.215,00").
std::optional<Style> style_of(std::string_view field);

/// The number, without separators of thousands. Absent for what stands for a missing value: empty,
/// n/a, "(!) n/a", nan, inf, "no data", any other word.
std::optional<double> value_of(std::string_view field, Style style = Style::kDecimalPoint);

/// By what a value in `unit` is multiplied to be in the base unit: nanoseconds for times, bytes,
/// hertz, "per second" for rates. 1 for units that are not scaled.
double factor_to_base(std::string_view unit);

}  // namespace kp::profile::ncu
