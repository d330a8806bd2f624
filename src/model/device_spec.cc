// SPDX-License-Identifier: Apache-2.0
#include "model/device_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/text.h"
#include "model/device_spec_text.h"
#include "model/toml_text.h"

namespace kp {
namespace {

template <class T>
struct Field {
  const char* key;
  T DeviceSpec::*member;
};

constexpr std::array<Field<std::string>, 3> kTexts{{
    {"name", &DeviceSpec::name},
    {"product", &DeviceSpec::product},
    {"architecture", &DeviceSpec::architecture},
}};
constexpr std::array<Field<int>, 8> kLimits{{
    {"sm_count", &DeviceSpec::sm_count},
    {"warps_per_sm", &DeviceSpec::warps_per_sm},
    {"blocks_per_sm", &DeviceSpec::blocks_per_sm},
    {"threads_per_block", &DeviceSpec::threads_per_block},
    {"barriers_per_sm", &DeviceSpec::barriers_per_sm},
    {"registers_per_sm", &DeviceSpec::registers_per_sm},
    {"registers_per_thread", &DeviceSpec::registers_per_thread},
    {"schedulers_per_sm", &DeviceSpec::schedulers_per_sm},
}};
constexpr std::array<Field<std::int64_t>, 8> kBytes{{
    {"shared_per_sm", &DeviceSpec::shared_per_sm},
    {"shared_per_block", &DeviceSpec::shared_per_block},
    {"shared_static", &DeviceSpec::shared_static},
    {"shared_reserved", &DeviceSpec::shared_reserved},
    {"shared_granularity", &DeviceSpec::shared_granularity},
    {"l1_bytes", &DeviceSpec::l1_bytes},
    {"l2_bytes", &DeviceSpec::l2_bytes},
    {"memory_bytes", &DeviceSpec::memory_bytes},
}};
constexpr std::array<Field<double>, 6> kRates{{
    {"clock_hz", &DeviceSpec::clock_hz},
    {"dram_peak", &DeviceSpec::dram_peak},
    {"dram_sustained", &DeviceSpec::dram_sustained},
    {"l2_bandwidth", &DeviceSpec::l2_bandwidth},
    {"scalar_flops_f32", &DeviceSpec::scalar_flops_f32},
    {"scalar_flops_f64", &DeviceSpec::scalar_flops_f64},
}};
constexpr std::array kPrecisions{Precision::kF64, Precision::kF32,  Precision::kTf32,
                                 Precision::kF16, Precision::kBf16, Precision::kF8};

/// A TOML table and how messages call it.
class SpecTable {
 public:
  SpecTable(const toml::table& table, std::string file, std::string name)
      : table_(table), file_(std::move(file)), name_(std::move(name)) {}

  /// A plain number, or the member `value` of a table.
  Result<double> number(std::string_view key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return missing(key, table_.source());
    if (const toml::table* form = node->as_table()) {
      const toml::node* value = form->get("value");
      if (value == nullptr) return missing(fmt::format("{}.value", key), form->source());
      node = value;
    }
    const std::optional<double> value = node->is_number() ? node->value<double>() : std::nullopt;
    if (!value || !std::isfinite(*value)) return wrong(key, "a finite number", *node);
    return *value;
  }

  /// A number that a machine can have: above zero, or also zero where `zero_allowed`.
  template <class T>
  Result<T> amount(std::string_view key, bool zero_allowed) const {
    KP_TRY(const double value, number(key));
    const bool whole = !std::is_integral_v<T> || value == std::floor(value);
    const bool in_range = value < 9e18 && (!std::is_same_v<T, int> || value < 2e9);
    if (value < 0 || (value == 0 && !zero_allowed) || !whole || !in_range) {
      return wrong(key, std::is_integral_v<T> ? "a positive integer" : "a positive number",
                   *table_.get(key));
    }
    return static_cast<T>(value);
  }

  Result<std::string> text(std::string_view key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return missing(key, table_.source());
    if (!node->is_string()) return wrong(key, "a string", *node);
    return node->ref<std::string>();
  }

  Result<SpecTable> table(const char* key) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return missing(key, table_.source());
    if (!node->is_table()) return wrong(key, "a table", *node);
    return SpecTable(*node->as_table(), file_, key);
  }

  std::vector<std::string> keys() const {
    std::vector<std::string> names;
    for (const auto& [key, node] : table_) names.emplace_back(key.str());
    return names;
  }

 private:
  std::string path(std::string_view key) const {
    return name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key);
  }
  SourceSpot spot(const toml::source_region& region) const {
    return {file_, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
  }
  tl::unexpected<Error> missing(std::string_view key, const toml::source_region& region) const {
    return fail_at(spot(region), fmt::format("key `{}` is missing", path(key)),
                   "the keys of a device spec stand in specs/h200.toml, with units");
  }
  tl::unexpected<Error> wrong(std::string_view key, std::string_view expected,
                              const toml::node& node) const {
    return fail_at(spot(node.source()), fmt::format("`{}` is not {}", path(key), expected));
  }

  const toml::table& table_;
  std::string file_;
  std::string name_;
};

template <class T, std::size_t N>
Result<void> read_amounts(const SpecTable& table, const std::array<Field<T>, N>& fields,
                          DeviceSpec& spec) {
  for (const Field<T>& field : fields) {
    const bool zero_allowed = field.key == std::string_view("shared_reserved");
    KP_TRY(spec.*field.member, table.amount<T>(field.key, zero_allowed));
  }
  return {};
}

Result<DeviceSpec> read_tables(const SpecTable& root) {
  DeviceSpec spec;
  for (const auto& field : kTexts) {
    KP_TRY(spec.*field.member, root.text(field.key));
  }
  KP_TRY(const SpecTable limits, root.table("limits"));
  KP_TRY_VOID(read_amounts(limits, kLimits, spec));
  KP_TRY(const SpecTable bytes, root.table("bytes"));
  KP_TRY_VOID(read_amounts(bytes, kBytes, spec));
  KP_TRY(const SpecTable rates, root.table("rates"));
  KP_TRY_VOID(read_amounts(rates, kRates, spec));
  KP_TRY(const SpecTable flops, root.table("flops"));
  for (const Precision precision : kPrecisions) {
    KP_TRY(spec.flops[precision], flops.amount<double>(name_of(precision), false));
  }
  KP_TRY(const SpecTable model, root.table("model"));
  for (const std::string& key : model.keys()) {
    KP_TRY(spec.model[key], model.number(key));
  }
  return spec;
}

Result<std::vector<std::string>> spec_names(const Path& folder) {
  std::vector<std::string> names;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  if (code) {
    return fail(ErrorCode::kIo, fmt::format("cannot list {}: {}", folder.string(), code.message()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<Path> find_spec(const std::string& name_or_path) {
  const Path path(name_or_path);
  if (path.has_parent_path() || path.extension() == ".toml") return path;
  KP_TRY(const Path home, installation_folder());
  KP_TRY(const std::vector<std::string> names, spec_names(home / "specs"));
  if (std::find(names.begin(), names.end(), name_or_path) != names.end()) {
    return home / "specs" / (name_or_path + ".toml");
  }
  const std::optional<std::string> close = nearest(name_or_path, names);
  return fail(
      ErrorCode::kNotFound, fmt::format("no device spec `{}`", name_or_path),
      fmt::format("{}the specs that exist: {}; or give a path to a TOML file",
                  close ? fmt::format("did you mean `{}`? ", *close) : "", join(names, ", ")));
}

bool holds_specs(const Path& folder) {
  std::error_code code;
  return std::filesystem::is_directory(folder / "specs", code);
}

}  // namespace

Result<DeviceSpec> read_device_spec(const std::string& name_or_path) {
  KP_TRY(const Path path, find_spec(name_or_path));
  KP_TRY(const std::string text, read_text(path, 1 << 20));
  return parse_device_spec(text, path.string());
}

Result<DeviceSpec> parse_device_spec(const std::string& text, const std::string& file) {
  KP_TRY(const toml::table root, parse_toml(text, file));
  return read_tables(SpecTable(root, file, ""));
}

std::string to_toml(const DeviceSpec& spec) {
  std::string text;
  for (const auto& field : kTexts) {
    text += fmt::format("{} = \"{}\"\n", field.key, spec.*field.member);
  }
  const auto add = [&](std::string_view table, const auto& fields) {
    text += fmt::format("[{}]\n", table);
    for (const auto& field : fields) {
      text += fmt::format("{} = {}\n", field.key, spec.*field.member);
    }
  };
  add("limits", kLimits);
  add("bytes", kBytes);
  add("rates", kRates);
  text += "[flops]\n";
  for (const auto& [precision, rate] : spec.flops) {
    text += fmt::format("{} = {}\n", name_of(precision), rate);
  }
  text += "[model]\n";
  for (const auto& [key, value] : spec.model) text += fmt::format("{} = {}\n", key, value);
  return text;
}

Result<Path> installation_folder() {
  if (const char* home = std::getenv("KERNELPRO_HOME"); home != nullptr && *home != '\0') {
    if (holds_specs(home)) return Path(home);
    return fail(ErrorCode::kNotFound, fmt::format("KERNELPRO_HOME={} has no folder specs/", home),
                "set it to the folder that holds specs/, or unset it");
  }
  for (Path folder = program_folder();; folder = folder.parent_path()) {
    if (holds_specs(folder)) return folder;
    if (folder == folder.parent_path()) break;
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("no folder specs/ beside or above {}", program_folder().string()),
              "set KERNELPRO_HOME to the folder that holds specs/");
}

}  // namespace kp
