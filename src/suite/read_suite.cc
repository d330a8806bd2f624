// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "model/toml_text.h"
#include "search/strategy.h"
#include "suite/run_table.h"
#include "suite/suite.h"
#include "suite/task_list.h"

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
    KP_TRY(suite_.devices, texts("devices"));
    if (suite_.devices.empty()) suite_.devices = {""};
    KP_TRY_VOID(read_arms());
    KP_TRY_VOID(read_quarantine());
    // Last: it looks at the disk.
    KP_TRY_VOID(read_tasks());
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

  /// A list of texts, or one text; empty when `key` is not there.
  Result<std::vector<std::string>> texts(const char* key) {
    const toml::node* node = root_.get(key);
    return node ? texts_of(*node, key) : Result<std::vector<std::string>>();
  }

  Result<std::vector<std::string>> texts_of(const toml::node& node, const char* key) {
    std::vector<std::string> list;
    if (const auto one = node.value_exact<std::string>()) return std::vector{*one};
    const toml::array* array = node.as_array();
    for (std::size_t i = 0; array && i < array->size(); ++i) {
      const auto one = array->get(i)->value_exact<std::string>();
      if (one) list.push_back(*one);
    }
    if (array && !list.empty() && list.size() == array->size()) return list;
    return wrong_at(node, file_, fmt::format("`{}` is no list of texts", key));
  }

  Result<std::vector<Path>> find(const toml::node& node, const std::string& pattern) {
    auto found = find_tasks(file_.parent_path(), pattern);
    if (found) return found;
    return wrong_at(node, file_, found.error().message, found.error().hint);
  }

  /// {path = "TASK", from = "FILE.cu", baselines = ["FILE.py:FUNCTION"]}: one task, and what the
  /// suite has of its own for it, one of the two or both.
  Result<std::vector<Path>> read_owner(const toml::table& table) {
    const auto path = table["path"].value_exact<std::string>();
    const std::size_t own = table.contains("from") + table.contains("baselines");
    if (!path || own == 0 || table.size() != 1 + own) {
      return wrong_at(table, file_, "a task in braces has `path`, and `from` or `baselines`",
                      "write {path = \"task\", from = \"plan.cu\"}");
    }
    KP_TRY(const auto found, find(table, *path));
    if (found.size() != 1) {
      return wrong_at(table, file_, fmt::format("`{}` is {} tasks", *path, found.size()),
                      "a plan or a baseline is one task's: name that one");
    }
    TaskEntry& entry = owners_[found.front()];
    KP_TRY_VOID(read_plan(table, *path, entry));
    KP_TRY_VOID(read_baselines(table, entry));
    return found;
  }

  Result<void> read_plan(const toml::table& table, const std::string& path, TaskEntry& entry) {
    if (!table.contains("from")) return {};
    const auto from = table["from"].value_exact<std::string>();
    if (!from) return wrong_at(table, file_, "`from` is no text");
    const Path plan = (file_.parent_path() / *from).lexically_normal();
    if (!std::filesystem::is_regular_file(plan)) {
      return wrong_at(table, file_, plan.string() + " does not exist", "name a plan file");
    }
    if (!entry.from.empty() && entry.from != plan) {
      return wrong_at(table, file_, fmt::format("`{}` begins with two plans", path),
                      "compare them as two suites, each with --out");
    }
    entry.from = plan;
    return {};
  }

  Result<void> read_baselines(const toml::table& table, TaskEntry& entry) {
    const toml::node* node = table.get("baselines");
    if (!node) return {};
    KP_TRY(const auto names, texts_of(*node, "baselines"));
    for (const std::string& name : names) {
      const std::size_t colon = name.rfind(":");
      const Path file = (file_.parent_path() / name.substr(0, colon)).lexically_normal();
      if (colon == std::string::npos || file.extension() != ".py") {
        return wrong_at(*node, file_, fmt::format("`{}` names no function", name),
                        "write \"FILE.py:FUNCTION\"");
      }
      if (!std::filesystem::is_regular_file(file))
        return wrong_at(*node, file_, file.string() + " does not exist", "name a Python file");
      const std::string whole = file.string() + name.substr(colon);
      auto& known = entry.baselines;
      if (std::find(known.begin(), known.end(), whole) == known.end()) known.push_back(whole);
    }
    return {};
  }

  /// A pattern, or a table that names one task.
  Result<std::vector<Path>> read_task(const toml::node& node) {
    if (const auto* table = node.as_table()) return read_owner(*table);
    if (const auto pattern = node.value_exact<std::string>()) return find(node, *pattern);
    return wrong_at(node, file_, "a task is neither a text nor a table",
                    "write \"tasks/*\" or {path = \"task\", from = \"plan.cu\"}");
  }

  Result<void> read_tasks() {
    const toml::node* node = root_.get("tasks");
    if (!node || (node->is_array() && node->as_array()->empty())) {
      return wrong_at(root_, file_, "the suite names no tasks", "write tasks = [\"tasks/*\"]");
    }
    std::vector<Path> paths;
    const auto read_one = [&](const toml::node& one) -> Result<void> {
      KP_TRY(const auto found, read_task(one));
      paths.insert(paths.end(), found.begin(), found.end());
      return {};
    };
    if (!node->is_array()) KP_TRY_VOID(read_one(*node));
    for (std::size_t i = 0; node->is_array() && i < node->as_array()->size(); ++i) {
      KP_TRY_VOID(read_one(*node->as_array()->get(i)));
    }
    suite_.tasks = entries(paths);
    for (TaskEntry& task : suite_.tasks) {
      const auto owner = owners_.find(task.path);
      if (owner == owners_.end()) continue;
      task.from = owner->second.from;
      task.baselines = owner->second.baselines;
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
  std::map<Path, TaskEntry> owners_;  // by task; of each what the suite has for it
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
