// SPDX-License-Identifier: Apache-2.0
#include "task/quarantine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/device_spec.h"

namespace kp::task {
namespace {

/// "level1" of ".../level1/23_Softmax.py"; empty elsewhere.
std::string level_of(const Path& file) {
  const std::string folder = file.parent_path().filename().string();
  const bool level =
      folder.size() == 6 && folder.starts_with("level") && folder[5] >= '1' && folder[5] <= '9';
  return level ? folder : std::string();
}

/// "1/23" of "level1/23_Softmax".
std::string number_of(const std::string& task) {
  const std::size_t slash = task.find('/'), line = task.find('_', slash);
  return task.substr(5, slash - 5) + task.substr(slash, line - slash);
}

std::string text_of(const TaskFault& fault) {
  std::string text(name_of(fault.kind));
  if (!fault.passes.empty()) text += ": passes as " + fault.passes;
  if (fault.tolerance)
    text += *fault.tolerance > 0 ? fmt::format(" at {}", *fault.tolerance) : " at any tolerance";
  return text + ". " + fault.reason;
}

}  // namespace

bool Quarantine::excluded() const {
  return std::any_of(faults.begin(), faults.end(), [](const auto& f) { return f.quarantine; });
}

std::string Quarantine::reason() const {
  std::string text;
  for (const bool first : {true, false}) {
    for (const TaskFault& fault : faults) {
      if (fault.quarantine == first) text += (text.empty() ? "" : " ") + text_of(fault);
    }
  }
  return text;
}

std::optional<Quarantine> QuarantineList::find(const Path& file) const {
  const std::string level = level_of(file), name = file.stem().string();
  Quarantine found;
  for (const TaskFault& fault : faults_) {
    const std::size_t slash = fault.task.find('/');
    const bool here = level.empty() || fault.task.substr(0, slash) == level;
    if (here && fault.task.substr(slash + 1) == name) found.faults.push_back(fault);
  }
  if (found.faults.empty()) return {};
  found.task = found.faults.front().task;
  const std::string number = number_of(found.task);
  for (const Listed& list : listed_) {
    if (std::find(list.tasks.begin(), list.tasks.end(), number) != list.tasks.end())
      found.listed.push_back(list.origin);
  }
  return found;
}

Result<QuarantineList> QuarantineList::read_shipped() {
  KP_TRY(const Path home, installation_folder());
  return read(home / "share/kernelbench/degenerate.toml");
}

Result<std::optional<Quarantine>> known_faults(const Task& task) {
  if (task.path.extension() != ".py") return std::optional<Quarantine>{};
  KP_TRY(const auto list, QuarantineList::read_shipped());
  return list.find(std::filesystem::absolute(task.path));
}

Result<std::optional<Quarantine>> quarantined(const Task& task) {
  KP_TRY(auto known, known_faults(task));
  if (known && !known->excluded()) known.reset();
  return known;
}

}  // namespace kp::task
