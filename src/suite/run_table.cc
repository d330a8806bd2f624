// SPDX-License-Identifier: Apache-2.0
#include "suite/run_table.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "base/text.h"

namespace kp::suite {
namespace {

/// Takes a value into the settings; what was expected when it is something else.
using Take = std::function<std::string(const toml::node&, const Path&, loop::Settings&)>;

template <class Field>
Take text(Field field) {
  return [field](const toml::node& node, const Path&, loop::Settings& settings) -> std::string {
    const auto value = node.value_exact<std::string>();
    if (!value || value->empty()) return "a text";
    field(settings) = *value;
    return "";
  };
}

template <class Field>
Take whole(std::int64_t least, Field field) {
  return [=](const toml::node& node, const Path&, loop::Settings& settings) -> std::string {
    const auto value = node.value_exact<std::int64_t>();
    auto& place = field(settings);
    using Place = std::remove_reference_t<decltype(place)>;
    if (!value || *value < least || *value > std::numeric_limits<Place>::max()) {
      return fmt::format("a whole number of at least {}", least);
    }
    place = static_cast<Place>(*value);
    return "";
  };
}

template <class Field>
Take amount(Field field) {
  return [=](const toml::node& node, const Path&, loop::Settings& settings) -> std::string {
    const auto value = node.value<double>();
    if (!node.is_number() || !std::isfinite(*value) || *value < 0) return "a number of at least 0";
    field(settings, *value);
    return "";
  };
}

template <class Enum, class Field>
Take one_of(const auto& all, Field field) {
  return [&all, field](const toml::node& node, const Path&, loop::Settings& settings) {
    std::vector<std::string> names;
    for (const Enum value : all) {
      names.emplace_back(name_of(value));
      if (node.value_exact<std::string>() != names.back()) continue;
      field(settings) = value;
      return std::string();
    }
    return "one of " + join(names, ", ");
  };
}

/// One switch of an ablation: what earlier tries brought, told to nobody, to the run, to all.
std::string take_memory(const toml::node& node, const Path&, loop::Settings& settings) {
  const auto name = node.value_exact<std::string>();
  settings.proposer_options.memory = name != "off";
  settings.memory = loop::MemoryScope::kOwn;
  if (name == "off") return "";
  for (const loop::MemoryScope scope : loop::kMemoryScopes) {
    if (name != name_of(scope)) continue;
    settings.memory = scope;
    return "";
  }
  return "one of off, own, shared, held-out";
}

std::string take_temperatures(const toml::node& node, const Path&, loop::Settings& settings) {
  std::vector<double> list;
  if (const toml::array* array = node.as_array()) {
    for (const toml::node& one : *array) {
      list.push_back(one.is_number() ? *one.value<double>() : -1);
    }
  }
  for (const double one : list) {
    if (!(one >= 0 && one <= 2)) list.clear();
  }
  settings.proposer_options.temperatures = list;
  return list.empty() ? "a list of numbers from 0 to 2" : "";
}

Path beside(const Path& file, const std::string& path) {
  return (file.parent_path() / path).lexically_normal();
}

std::string take_roots(const toml::node& node, const Path& file, loop::Settings& settings) {
  const toml::array* array = node.as_array();
  if (!array) return "a list of folders";
  settings.proposer_options.code_roots.clear();
  for (const toml::node& one : *array) {
    const auto path = one.value_exact<std::string>();
    if (!path) return "a list of folders";
    settings.proposer_options.code_roots.push_back(beside(file, *path));
  }
  return "";
}

std::string take_prices(const toml::node& node, const Path& file, loop::Settings& settings) {
  const auto path = node.value_exact<std::string>();
  if (!path) return "a file";
  settings.proposer_options.prices = beside(file, *path);
  return "";
}

std::string take_roof(const toml::node& node, const Path&, loop::Settings& settings) {
  const auto value = node.value_exact<bool>();
  settings.stop.stop_at_roof = value.value_or(true);
  return value ? "" : "true or false";
}

using loop::Settings;

/// Each key says what the option of `optimize` of that name says; `feedback` is --arm.
const std::map<std::string, Take, std::less<>>& keys() {
  static const std::map<std::string, Take, std::less<>> all{
      {"proposer", text([](Settings & s) -> auto& { return s.proposer; })},
      {"search", text([](Settings & s) -> auto& { return s.search; })},
      {"budget", whole(
                     1, [](Settings & s) -> auto& { return s.stop.budget; })},
      {"patience", whole(
                       0, [](Settings & s) -> auto& { return s.stop.patience; })},
      {"time",
       amount([](Settings& s, double v) { s.stop.time = std::chrono::duration<double>(v); })},
      {"stop_at_roof", take_roof},
      {"feedback",
       one_of<propose::Arm>(
           propose::kArms, [](Settings & s) -> auto& { return s.proposer_options.arm; })},
      {"invocation", one_of<propose::Invocation>(
                         propose::kInvocations,
                         [](Settings & s) -> auto& { return s.proposer_options.invocation; })},
      {"memory", take_memory},
      {"first_versions", whole(
                             1, [](Settings & s) -> auto& { return s.proposer_options.seeds; })},
      {"temperatures", take_temperatures},
      {"code_roots", take_roots},
      {"max_tokens", whole(
                         0, [](Settings & s) -> auto& { return s.proposer_options.most_tokens; })},
      {"max_cost", amount([](Settings& s, double v) { s.proposer_options.most_cost = v; })},
      {"prices", take_prices},
  };
  return all;
}

std::string likely(std::string_view key) {
  std::vector<std::string> known;
  for (const auto& [name, take] : keys()) known.push_back(name);
  if (const auto near = nearest(key, known)) return fmt::format("did you mean `{}`?", *near);
  return "one of: " + join(known, ", ");
}

}  // namespace

tl::unexpected<Error> wrong_at(const toml::node& node, const Path& file, std::string message,
                               std::string hint) {
  const auto begin = node.source().begin;
  return fail_at({file.string(), static_cast<int>(begin.line), static_cast<int>(begin.column)},
                 std::move(message), std::move(hint));
}

Result<void> apply(const toml::table& table, const Path& file, std::string_view key_of_reader,
                   loop::Settings& settings) {
  for (const auto& [key, node] : table) {
    if (key.str() == key_of_reader) continue;
    const auto known = keys().find(key.str());
    if (known == keys().end()) {
      return wrong_at(node, file, fmt::format("there is no setting `{}` of a run", key.str()),
                      likely(key.str()));
    }
    const std::string expected = known->second(node, file, settings);
    if (!expected.empty()) {
      return wrong_at(node, file, fmt::format("`{}` is not {}", key.str(), expected),
                      "docs/bench.md lists the settings of a run");
    }
  }
  return {};
}

}  // namespace kp::suite
