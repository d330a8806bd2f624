// SPDX-License-Identifier: Apache-2.0
#include "propose/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "model/json.h"

namespace kp::propose {
namespace {

using Meta = std::map<std::string, std::string>;

tl::unexpected<Error> unusable(const std::string& key, const std::string& value) {
  return fail(ErrorCode::kCorrupt, fmt::format("the setting {} is '{}'", key, value),
              "the run cannot be resumed; start a new one");
}

/// Replaces `value` by what `read` makes of the stored text, where there is one.
template <class T, class Read>
Result<void> take(const Meta& meta, const std::string& key, T& value, const Read& read) {
  const auto found = meta.find(key);
  if (found == meta.end()) return {};
  const std::optional<T> known = read(found->second);
  if (!known) return unusable(key, found->second);
  value = *known;
  return {};
}

template <class Enum>
auto one_of(const auto& all) {
  return [&all](const std::string& text) -> std::optional<Enum> {
    for (const Enum value : all) {
      if (name_of(value) == text) return value;
    }
    return std::nullopt;
  };
}

std::optional<bool> read_flag(const std::string& text) {
  if (text != "0" && text != "1") return std::nullopt;
  return text == "1";
}

std::optional<std::int64_t> read_count(const std::string& text) {
  const auto value = parse_integer(text);
  if (!value || *value < 0) return std::nullopt;
  return *value;
}

std::optional<int> read_small(const std::string& text) {
  const auto value = read_count(text);
  if (!value || *value > 1'000'000) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<double> read_amount(const std::string& text) {
  const auto value = parse_real(text);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<std::vector<double>> read_temperatures(const std::string& text) {
  std::vector<double> values;
  for (const std::string_view part : split(text, ',')) {
    if (text.empty()) break;
    const auto value = read_amount(std::string(part));
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<std::vector<Path>> read_paths(const std::string& text) {
  const auto json = parse_json(text);
  if (!json || !json->is_array()) return std::nullopt;
  std::vector<Path> paths;
  for (const auto& entry : *json) {
    if (!entry.is_string()) return std::nullopt;
    paths.emplace_back(entry.get<std::string>());
  }
  return paths;
}

std::string to_text(const std::vector<Path>& paths) {
  nlohmann::json list = nlohmann::json::array();
  for (const Path& path : paths) list.push_back(path.string());
  return list.dump();
}

Result<void> make_absolute(Path& path, bool must_exist) {
  if (path.empty()) return {};
  std::error_code error;
  path = std::filesystem::absolute(path, error).lexically_normal();
  if (!must_exist || std::filesystem::exists(path, error)) return {};
  return fail(ErrorCode::kNotFound, path.string() + " does not exist", "name one that does");
}

}  // namespace

std::string_view name_of(Arm arm) {
  switch (arm) {
    case Arm::kTools:
      return "tools";
    case Arm::kRaw:
      return "raw";
    case Arm::kNcu:
      return "ncu";
    case Arm::kPlacebo:
      return "placebo";
    case Arm::kNone:
      return "none";
  }
  return "tools";
}

std::string_view name_of(Invocation invocation) {
  return invocation == Invocation::kProactive ? "proactive" : "reactive";
}

Result<ProposerOptions> resolved(ProposerOptions options) {
  for (Path& root : options.code_roots) KP_TRY_VOID(make_absolute(root, true));
  KP_TRY_VOID(make_absolute(options.prices, true));
  KP_TRY_VOID(make_absolute(options.record, false));
  return options;
}

int seeds_wanted(const ProposerOptions& options) {
  return options.seeds * std::max(1, static_cast<int>(options.temperatures.size()));
}

Meta to_meta(const ProposerOptions& options) {
  return {{"arm", std::string(name_of(options.arm))},
          {"invocation", std::string(name_of(options.invocation))},
          {"memory", options.memory ? "1" : "0"},
          {"seeds", std::to_string(options.seeds)},
          {"temperatures", fmt::format("{}", fmt::join(options.temperatures, ","))},
          {"code_roots", to_text(options.code_roots)},
          {"max_tokens", std::to_string(options.most_tokens)},
          {"max_cost", fmt::format("{}", options.most_cost)},
          {"prices", options.prices.string()},
          {"record", options.record.string()}};
}

Result<ProposerOptions> options_from(const Meta& meta) {
  ProposerOptions options;
  const auto read_path = [](const std::string& text) { return std::optional<Path>(text); };
  KP_TRY_VOID(take(meta, "arm", options.arm, one_of<Arm>(kArms)));
  KP_TRY_VOID(take(meta, "invocation", options.invocation, one_of<Invocation>(kInvocations)));
  KP_TRY_VOID(take(meta, "memory", options.memory, read_flag));
  KP_TRY_VOID(take(meta, "seeds", options.seeds, read_small));
  KP_TRY_VOID(take(meta, "temperatures", options.temperatures, read_temperatures));
  KP_TRY_VOID(take(meta, "code_roots", options.code_roots, read_paths));
  KP_TRY_VOID(take(meta, "max_tokens", options.most_tokens, read_count));
  KP_TRY_VOID(take(meta, "max_cost", options.most_cost, read_amount));
  KP_TRY_VOID(take(meta, "prices", options.prices, read_path));
  KP_TRY_VOID(take(meta, "record", options.record, read_path));
  return options;
}

}  // namespace kp::propose
