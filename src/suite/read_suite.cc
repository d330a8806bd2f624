// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "model/toml_text.h"
#include "search/strategy.h"
#include "suite/run_table.h"
#include "suite/suite.h"
#include "suite/task_list.h"
#include "suite/tasks_table.h"

namespace kp::suite {
namespace {

constexpr std::uint64_t kLargestFile = 1 << 20;  // bytes
constexpr std::int64_t kMostSeeds = 1000;        // what is more is a slip

class Reader {
 public:
  Reader(const toml::table& root, Path file) : root_(root), file_(std::move(file)) {}

  Result<Suite> read() {
    KP_TRY_VOID(check_keys());
    suite_.name = root_["name"].value_or(file_.stem().string());
    suite_.about = root_["about"].value_or(std::string());
    KP_TRY_VOID(read_seeds());
    if (const toml::node* devices = root_.get("devices")) {
      KP_TRY(suite_.devices, texts_of(*devices, "devices", file_));
    }
    if (suite_.devices.empty()) suite_.devices = {""};
    KP_TRY_VOID(read_arms());
    KP_TRY_VOID(read_quarantine());
    // Last: it looks at the disk.
    KP_TRY(suite_.tasks, read_tasks(root_, file_));
    return std::move(suite_);
  }

 private:
  Result<void> check_keys() {
    const std::vector<std::string> known{"name", "about", "tasks",      "seeds",
                                         "run",  "arm",   "quarantine", "devices"};
    for (const auto& [key, node] : root_) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      const auto near = nearest(key.str(), known);
      return wrong_at(
          node, file_, fmt::format("a suite has no `{}`", key.str()),
          near ? fmt::format("did you mean `{}`?", *near) : "settings of runs stand below [run]");
    }
    return {};
  }

  Result<void> read_seeds() {
    const toml::node* node = root_.get("seeds");
    if (!node) return suite_.seeds.push_back(1), Result<void>();
    if (const auto count = node->value_exact<std::int64_t>()) {
      for (std::int64_t seed = 1; seed <= std::min(*count, kMostSeeds); ++seed) {
        suite_.seeds.push_back(static_cast<std::uint64_t>(seed));
      }
    }
    const toml::array* array = node->as_array();
    std::set<std::int64_t> seen;
    for (std::size_t i = 0; array && i < array->size(); ++i) {
      const auto seed = array->get(i)->value_exact<std::int64_t>();
      if (seed && *seed >= 0 && seen.insert(*seed).second) {
        suite_.seeds.push_back(static_cast<std::uint64_t>(*seed));
      }
    }
    const bool all = !array || suite_.seeds.size() == array->size();
    if (all && !suite_.seeds.empty()) return {};
    return wrong_at(*node, file_, "`seeds` is neither a number of seeds nor a list of them",
                    "write seeds = 3, or seeds = [1, 2, 3]");
  }

  Result<void> check_search(const toml::node& node, const loop::Settings& settings) {
    const auto known = search::make_strategy(settings.search, search::Trial{});
    if (known) return {};
    return wrong_at(node, file_, known.error().message, known.error().hint);
  }

  Result<void> read_arms() {
    loop::Settings common;
    if (const toml::node* run = root_.get("run")) {
      if (!run->as_table()) return wrong_at(*run, file_, "`run` is no table", "write [run]");
      KP_TRY_VOID(apply(*run->as_table(), file_, "", common));
      KP_TRY_VOID(check_search(*run, common));
    }
    const toml::node* arms = root_.get("arm");
    if (!arms) return suite_.arms.push_back({kOnlyArm, common}), Result<void>();
    const toml::array* array = arms->as_array();
    if (!array || !array->is_array_of_tables()) {
      return wrong_at(*arms, file_, "`arm` is no list of tables", "write [[arm]] before each arm");
    }
    for (const toml::node& arm : *array) KP_TRY_VOID(read_arm(*arm.as_table(), common));
    return {};
  }

  Result<void> read_arm(const toml::table& table, const loop::Settings& common) {
    Arm arm{table["name"].value_or(std::string()), common};
    const auto odd = [](char c) {
      return !std::isalnum(static_cast<unsigned char>(c)) && c != '-';
    };
    if (arm.name.empty() || std::any_of(arm.name.begin(), arm.name.end(), odd)) {
      return wrong_at(table, file_, "an arm has no name of letters, digits and hyphens");
    }
    const auto same = [&](const Arm& other) { return other.name == arm.name; };
    if (std::any_of(suite_.arms.begin(), suite_.arms.end(), same)) {
      return wrong_at(table, file_, fmt::format("two arms are called `{}`", arm.name));
    }
    KP_TRY_VOID(apply(table, file_, "name", arm.settings));
    KP_TRY_VOID(check_search(table, arm.settings));
    suite_.arms.push_back(std::move(arm));
    return {};
  }

  Result<void> read_quarantine() {
    const toml::node* node = root_.get("quarantine");
    if (!node) return {};
    if (!node->as_table()) return wrong_at(*node, file_, "`quarantine` is no table");
    for (const auto& [pattern, reason] : *node->as_table()) {
      const auto text = reason.value_exact<std::string>();
      if (!text || text->empty()) return wrong_at(reason, file_, "a quarantine gives no reason");
      suite_.quarantine.push_back({std::string(pattern.str()), *text});
    }
    return {};
  }

  const toml::table& root_;
  Path file_;
  Suite suite_;
};

Result<Suite> suite_of_folder(const Path& folder) {
  KP_TRY(const auto paths, tasks_in(folder));
  Suite suite;
  const Path whole = std::filesystem::absolute(folder).lexically_normal();
  suite.name = (whole.has_filename() ? whole : whole.parent_path()).filename().string();
  suite.tasks = entries(paths);
  suite.seeds = {1};
  suite.devices = {""};
  suite.arms = {{kOnlyArm, {}}};
  return suite;
}

}  // namespace

std::optional<std::string> Suite::quarantined(const std::string& task) const {
  for (const Quarantine& one : quarantine) {
    if (fits(one.pattern, task)) return one.reason;
  }
  return std::nullopt;
}

Result<Suite> read_suite(const Path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return suite_of_folder(path);
  KP_TRY(const std::string text, read_text(path, kLargestFile));
  return parse_suite(text, std::filesystem::absolute(path).lexically_normal());
}

Result<Suite> parse_suite(const std::string& text, const Path& file) {
  KP_TRY(const toml::table root, parse_toml(text, file.string()));
  return Reader(root, file).read();
}

Result<void> keep_arms(Suite& suite, const std::vector<std::string>& names) {
  std::vector<Arm> kept;
  std::vector<std::string> known;
  for (const Arm& arm : suite.arms) known.push_back(arm.name);
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      return fail(ErrorCode::kNotFound, fmt::format("the suite has no arm `{}`", name),
                  "its arms: " + join(known, ", "));
    }
    kept.push_back(suite.arms[static_cast<std::size_t>(found - known.begin())]);
  }
  suite.arms = std::move(kept);
  return {};
}

std::string settings_text(const Arm& arm) {
  const loop::Settings& settings = arm.settings;
  nlohmann::json json(propose::to_meta(settings.proposer_options));
  json["proposer"] = settings.proposer;
  json["search"] = settings.search;
  json["budget"] = settings.stop.budget;
  json["patience"] = settings.stop.patience;
  json["time_s"] = settings.stop.time.count();
  json["stop_at_roof"] = settings.stop.stop_at_roof;
  json["memory_scope"] = name_of(settings.memory);
  return json.dump();
}

}  // namespace kp::suite
