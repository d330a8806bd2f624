// SPDX-License-Identifier: Apache-2.0
#include "suite/tasks_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "suite/run_table.h"
#include "suite/task_list.h"

namespace kp::suite {
namespace {

class Reader {
 public:
  Reader(const toml::table& root, const Path& file) : root_(root), file_(file) {}

  Result<std::vector<TaskEntry>> read() {
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
    std::vector<TaskEntry> tasks = entries(paths);
    for (TaskEntry& task : tasks) {
      const auto owner = owners_.find(task.path);
      if (owner == owners_.end()) continue;
      task.from = owner->second.from;
      task.baselines = owner->second.baselines;
    }
    return tasks;
  }

 private:
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
    KP_TRY(const auto names, texts_of(*node, "baselines", file_));
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

  const toml::table& root_;
  const Path& file_;
  std::map<Path, TaskEntry> owners_;  // by task; of each what the suite has for it
};

}  // namespace

Result<std::vector<std::string>> texts_of(const toml::node& node, const char* key,
                                          const Path& file) {
  std::vector<std::string> list;
  if (const auto one = node.value_exact<std::string>()) return std::vector{*one};
  const toml::array* array = node.as_array();
  for (std::size_t i = 0; array && i < array->size(); ++i) {
    const auto one = array->get(i)->value_exact<std::string>();
    if (one) list.push_back(*one);
  }
  if (array && !list.empty() && list.size() == array->size()) return list;
  return wrong_at(node, file, fmt::format("`{}` is no list of texts", key));
}

Result<std::vector<TaskEntry>> read_tasks(const toml::table& root, const Path& file) {
  return Reader(root, file).read();
}

}  // namespace kp::suite
