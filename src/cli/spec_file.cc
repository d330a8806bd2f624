// SPDX-License-Identifier: Apache-2.0
#include "cli/spec_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "base/text.h"

namespace kp::cli {
namespace {

bool is_line_of(std::string_view line, const std::string& key) {
  return starts_with_word(line, key) && trim(line.substr(key.size())).starts_with('=');
}

std::string replace_line(const std::string& text, const std::string& key,
                         const std::string& replacement) {
  std::string changed;
  for (const std::string_view line : split_lines(text)) {
    changed += is_line_of(line, key) ? replacement : std::string(line);
    changed += '\n';
  }
  return changed;
}

/// The value in the line of `key`.
std::optional<double> number_of(const std::string& text, const std::string& key) {
  constexpr std::string_view kValue = "value = ";
  for (const std::string_view line : split_lines(text)) {
    const std::size_t at = line.find(kValue);
    if (!is_line_of(line, key) || at == std::string_view::npos) continue;
    std::string number(line.substr(at + kValue.size()));
    number = number.substr(0, number.find(','));
    std::erase(number, '_');
    return parse_real(number);
  }
  return std::nullopt;
}

/// What the driver says of a GPU; the rest of a spec follows from its architecture.
std::vector<Ceiling> limits_of(const DeviceSpec& gpu) {
  const auto count = [](auto value) { return static_cast<double>(value); };
  return {{"sm_count", count(gpu.sm_count), "SM", "driver"},
          {"shared_per_sm", count(gpu.shared_per_sm), "byte", "driver"},
          {"shared_per_block", count(gpu.shared_per_block), "byte", "driver"},
          {"l2_bytes", count(gpu.l2_bytes), "byte", "driver"},
          {"memory_bytes", count(gpu.memory_bytes), "byte", "driver"},
          {"clock_hz", gpu.clock_hz, "Hz", "driver"},
          {"dram_peak", gpu.dram_peak, "byte/s", "memory clock and width, driver"}};
}

}  // namespace

std::string with_number(const std::string& text, const std::string& key, double value,
                        const std::string& unit, const std::string& source) {
  const std::string number = value == std::floor(value) && value < 1e12
                                 ? fmt::format("{:.0f}", value)
                                 : fmt::format("{:.5g}", value);
  return replace_line(text, key,
                      fmt::format("{} = {{ value = {}, unit = \"{}\", source = \"{}\" }}", key,
                                  number, unit, source));
}

std::string spec_name(const std::string& product) {
  std::string name;
  for (const std::string_view word : split(product, ' ')) {
    if (word.empty() || word == "NVIDIA" || word == "GeForce") continue;
    if (!name.empty() &&
        std::none_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); }))
      break;
    for (const unsigned char c : word) {
      if (std::isalnum(c)) name += static_cast<char>(std::tolower(c));
    }
  }
  return name.empty() ? "gpu" : name;
}

std::string spec_text(const std::string& base, const DeviceSpec& gpu,
                      const std::vector<Ceiling>& ceilings, const std::string& source) {
  std::string text =
      replace_line(base, "name", fmt::format("name = \"{}\"", spec_name(gpu.product)));
  text = replace_line(text, "product", fmt::format("product = \"{}\"", gpu.product));
  text = replace_line(text, "architecture", fmt::format("architecture = \"{}\"", gpu.architecture));
  for (const Ceiling& limit : limits_of(gpu)) {
    const bool known = number_of(text, limit.key) == limit.value;  // keeps its better source
    if (!known && std::isfinite(limit.value))
      text = with_number(text, limit.key, limit.value, limit.unit, limit.how);
  }
  text = fmt::format(
             "# {}, {}. Numbers that are neither measured nor the driver's are those of\n"
             "# the shipped spec that this one starts from.\n",
             gpu.product, source) +
         text;
  for (const Ceiling& ceiling : ceilings) {
    text = with_number(text, ceiling.key, ceiling.value, ceiling.unit,
                       fmt::format("{}; {}", ceiling.how, source));
  }
  return text;
}

}  // namespace kp::cli
