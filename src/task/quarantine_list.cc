// SPDX-License-Identifier: Apache-2.0
// Reads the list of tasks that can be passed without their work.
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>

#include "model/toml_text.h"
#include "task/quarantine.h"

namespace kp::task {
namespace {

constexpr std::uint64_t kLargestFile = 1 << 20;  // bytes

constexpr std::array kClasses{std::pair{FaultClass::kConstant, "constant"},
                              std::pair{FaultClass::kSmall, "small"},
                              std::pair{FaultClass::kInputIndependent, "input-independent"},
                              std::pair{FaultClass::kPartialWork, "partial-work"},
                              std::pair{FaultClass::kRandom, "random"},
                              std::pair{FaultClass::kHuge, "huge"},
                              std::pair{FaultClass::kAlgebraic, "algebraic"},
                              std::pair{FaultClass::kPrecondition, "precondition"},
                              std::pair{FaultClass::kIndex, "index"}};

/// The members of one table; the first fault counts.
class Entry {
 public:
  Entry(const toml::table& table, const std::string& file) : table_(table), file_(file) {}

  std::string text(const char* key) {
    const auto value = table_[key].value<std::string>();
    if (!value && table_.contains(key)) wrong(key, "is no text");
    return value.value_or("");
  }
  std::string required(const char* key) {
    std::string value = text(key);
    if (value.empty()) wrong(key, "is missing");
    return value;
  }
  bool flag(const char* key) {
    const auto value = table_[key].value<bool>();
    if (!value) wrong(key, "is neither true nor false");
    return value.value_or(false);
  }
  std::optional<double> tolerance() {
    if (!table_.contains("tolerance")) return {};
    const auto value = table_["tolerance"].value<double>();
    if (!value || !std::isfinite(*value) || *value < 0) wrong("tolerance", "is no tolerance");
    return value;
  }
  void wrong(const char* key, std::string_view how) {
    if (fault_) return;
    const toml::node* node = table_.get(key);
    const auto begin = (node != nullptr ? node->source() : table_.source()).begin;
    fault_ = Error{ErrorCode::kInvalidInput,
                   fmt::format("`{}` {}", key, how),
                   "share/kernelbench/degenerate.toml says how the list is written",
                   {file_, static_cast<int>(begin.line), static_cast<int>(begin.column)},
                   {}};
  }
  const toml::table& table() const { return table_; }
  const std::optional<Error>& fault() const { return fault_; }

 private:
  const toml::table& table_;
  const std::string& file_;
  std::optional<Error> fault_;
};

/// "level1/23_Softmax".
bool is_task(std::string_view text) {
  const std::size_t slash = text.find('/'), line = text.find('_');
  if (slash == text.npos || line == text.npos || line < slash + 2) return false;
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == part.npos;
  };
  return text.starts_with("level") && digits(text.substr(5, slash - 5)) &&
         digits(text.substr(slash + 1, line - slash - 1));
}

FaultClass class_of(Entry& entry) {
  const std::string text = entry.required("class");
  for (const auto& [known, name] : kClasses) {
    if (text == name) return known;
  }
  entry.wrong("class", "is no class of faults");
  return FaultClass::kConstant;
}

std::optional<bool> soundness(Entry& entry) {
  const std::string text = entry.text("screened");
  if (text.empty()) return {};
  if (text != "sound" && text != "degenerate")
    entry.wrong("screened", "is neither sound nor degenerate");
  return text == "sound";
}

Result<TaskFault> fault_from(const toml::table& table, const std::string& file) {
  Entry entry(table, file);
  TaskFault fault;
  fault.task = entry.required("task");
  if (!is_task(fault.task)) entry.wrong("task", "is not like level1/23_Softmax");
  fault.kind = class_of(entry);
  fault.quarantine = entry.flag("quarantine");
  fault.passes = entry.text("passes");
  fault.tolerance = entry.tolerance();
  fault.reason = entry.required("reason");
  fault.repair = entry.text("repair");
  fault.screened_sound = soundness(entry);
  if (entry.fault()) return tl::unexpected(*entry.fault());
  return fault;
}

Result<QuarantineList::Listed> listed_from(const toml::table& table, const std::string& file) {
  Entry entry(table, file);
  QuarantineList::Listed listed{entry.required("origin"), entry.required("ground"), {}, {}};
  listed.count = table["count"].value<std::int64_t>();
  const toml::array* tasks = table["tasks"].as_array();
  for (std::size_t i = 0; tasks != nullptr && i < tasks->size(); ++i) {
    const auto task = tasks->get(i)->value<std::string>();
    if (!task || !is_task("level" + *task + "_")) entry.wrong("tasks", "are not like \"1/23\"");
    listed.tasks.push_back(task.value_or(""));
  }
  if (entry.fault()) return tl::unexpected(*entry.fault());
  return listed;
}

/// Every table of the array `key` through `read`.
template <typename T, typename Read>
Result<std::vector<T>> all(const toml::table& root, const char* key, const std::string& file,
                           Read&& read) {
  std::vector<T> list;
  const toml::array* entries = root[key].as_array();
  for (std::size_t i = 0; entries != nullptr && i < entries->size(); ++i) {
    const toml::table* table = entries->get(i)->as_table();
    if (table == nullptr) continue;
    KP_TRY(T made, read(*table, file));
    list.push_back(std::move(made));
  }
  return list;
}

}  // namespace

std::string_view name_of(FaultClass fault) {
  for (const auto& [known, name] : kClasses) {
    if (known == fault) return name;
  }
  return "constant";
}

Result<QuarantineList> QuarantineList::read(const Path& file) {
  const std::string name = file.string();
  KP_TRY(const std::string text, read_text(file, kLargestFile));
  KP_TRY(const toml::table root, parse_toml(text, name));
  QuarantineList list;
  list.version_ = root["version"].value_or(std::int64_t{0});
  if (list.version_ < 1)
    return fail_at({name, 1, 1}, "the list has no version", "write for example: version = 1");
  KP_TRY(list.faults_, all<TaskFault>(root, "fault", name, fault_from));
  KP_TRY(list.listed_, all<Listed>(root, "listed", name, listed_from));
  return list;
}

}  // namespace kp::task
