// SPDX-License-Identifier: Apache-2.0
#include "loop/settings.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "task/safetensors.h"

namespace kp::loop {
namespace {

std::string text_of(const Workload& workload) {
  std::string text = fmt::format("{} {}", workload.name, name_of(workload.role));
  for (const auto& [axis, value] : workload.axes) text += fmt::format(" {}={}", axis, value);
  for (const auto& [name, value] : workload.scalars) text += fmt::format(" {}={}", name, value);
  for (const auto& [name, d] : workload.distributions) {
    text += fmt::format(" {}~{}({},{})", name, static_cast<int>(d.kind), d.low, d.high);
  }
  return text + "\n";
}

std::string text_of(const Tensor& tensor) {
  std::string text =
      fmt::format("{} {} {} [", name_of(tensor.role), tensor.name, name_of(tensor.dtype));
  for (const Expr& dimension : tensor.shape) text += dimension.text() + ",";
  const Distribution& d = tensor.distribution;
  text += fmt::format("] {}({},{}) {}", static_cast<int>(d.kind), d.low, d.high,
                      tensor.scalar.value_or(0));
  if (tensor.structure.any()) text += " " + kp::text_of(tensor.structure);
  return text + "\n";
}

Result<long long> integer_at(const store::Meta& meta, const std::string& key) {
  const auto found = meta.find(key);
  const auto value = found == meta.end() ? std::nullopt : parse_integer(found->second);
  if (!value) {
    return fail(ErrorCode::kCorrupt, fmt::format("run.db has no usable setting '{}'", key),
                "the run cannot be resumed; start a new one");
  }
  return *value;
}

Result<std::string> text_at(const store::Meta& meta, const std::string& key) {
  const auto found = meta.find(key);
  if (found == meta.end()) {
    return fail(ErrorCode::kCorrupt, fmt::format("run.db has no setting '{}'", key),
                "the run cannot be resumed; start a new one");
  }
  return found->second;
}

Result<MemoryScope> scope_at(const store::Meta& meta) {
  const auto found = meta.find("memory_scope");
  if (found == meta.end()) return MemoryScope::kOwn;  // a run of an older program
  for (const MemoryScope scope : kMemoryScopes) {
    if (name_of(scope) == found->second) return scope;
  }
  return fail(ErrorCode::kCorrupt,
              fmt::format("run.db says that its memory is '{}'", found->second),
              "the run cannot be resumed; start a new one");
}

}  // namespace

std::string_view name_of(MemoryScope scope) {
  switch (scope) {
    case MemoryScope::kOwn:
      return "own";
    case MemoryScope::kShared:
      return "shared";
    case MemoryScope::kHeldOut:
      return "held-out";
  }
  return "own";
}

Result<std::string> digest_of(const Task& task) {
  const Declaration& declaration = task.declaration;
  std::string text = fmt::format("{} {}\n", name_of(declaration.precision),
                                 declaration.work.contraction ? "contraction" : "");
  if (declaration.work.flops) text += declaration.work.flops->text() + "\n";
  if (declaration.work.bytes) text += declaration.work.bytes->text() + "\n";
  for (const Tensor& tensor : declaration.tensors) text += text_of(tensor);
  // Those of one kind of device come and go with it: a run may move between the two.
  for (const Workload& workload : task.workloads) {
    if (workload.place == WorkloadPlace::kAnywhere) text += text_of(workload);
  }
  for (const Workload& workload : task.workloads) {
    for (const auto& [name, data] : workload.data) {
      KP_TRY(const std::string bytes, task::read_range(data.file, data.offset, data.bytes));
      text += fmt::format("{} {} {}\n", workload.name, name, content_address({bytes}));
    }
  }
  std::string reference;
  if (!task.oracle.source.empty()) {
    KP_TRY(reference, read_text(task.oracle.source));
  }
  std::string device_reference;
  if (!task.oracle.device_source.empty()) {
    KP_TRY(device_reference, read_text(task.oracle.device_source));
  }
  return content_address({text, reference, device_reference, task.baseline.value_or("")});
}

Result<void> check_same_task(const store::Meta& meta, const Task& task) {
  KP_TRY(const std::string now, digest_of(task));
  KP_TRY(const std::string then, text_at(meta, "task_digest"));
  if (now == then) return {};
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("the task {} is not the one that the run was started with", task.path.string()),
      "its results could not be compared: restore the task, or start a new run");
}

Result<store::Meta> to_meta(const Settings& settings, const Task& task) {
  KP_TRY(const std::string digest, digest_of(task));
  store::Meta meta{
      {"task", settings.task},
      {"task_name", task.name},
      {"task_digest", digest},
      {"oracle", std::string(name_of(task.oracle.kind))},
      {"proposer", settings.proposer},
      {"search", settings.search},
      {"seed", std::to_string(settings.seed)},
      {"candidates_per_ask", std::to_string(settings.candidates_per_ask)},
      {"budget", std::to_string(settings.stop.budget)},
      {"time_s", std::to_string(static_cast<long long>(settings.stop.time.count()))},
      {"patience", std::to_string(settings.stop.patience)},
      {"stop_at_roof", settings.stop.stop_at_roof ? "1" : "0"},
      {"memory_scope", std::string(name_of(settings.memory))},
  };
  if (!settings.memory_file.empty()) meta["memory_file"] = settings.memory_file.string();
  if (!settings.device.empty()) meta["device"] = settings.device;
  if (!settings.from.empty()) meta["from"] = settings.from.string();
  meta.merge(propose::to_meta(settings.proposer_options));
  meta.insert(settings.environment.begin(), settings.environment.end());
  return meta;
}

Result<Settings> settings_from(const store::Meta& meta) {
  Settings settings;
  KP_TRY(settings.task, text_at(meta, "task"));
  if (const auto device = meta.find("device"); device != meta.end()) {
    settings.device = device->second;
  }
  if (const auto from = meta.find("from"); from != meta.end()) settings.from = from->second;
  KP_TRY(settings.proposer, text_at(meta, "proposer"));
  KP_TRY(settings.search, text_at(meta, "search"));
  KP_TRY(settings.proposer_options, propose::options_from(meta));
  KP_TRY(settings.memory, scope_at(meta));
  if (const auto file = meta.find("memory_file"); file != meta.end()) {
    settings.memory_file = file->second;
  }
  KP_TRY(const auto seed, integer_at(meta, "seed"));
  KP_TRY(const auto per_ask, integer_at(meta, "candidates_per_ask"));
  KP_TRY(const auto budget, integer_at(meta, "budget"));
  KP_TRY(const auto time, integer_at(meta, "time_s"));
  KP_TRY(const auto patience, integer_at(meta, "patience"));
  KP_TRY(const auto roof, integer_at(meta, "stop_at_roof"));
  settings.seed = static_cast<std::uint64_t>(seed);
  settings.candidates_per_ask = static_cast<int>(per_ask);
  settings.stop.budget = static_cast<int>(budget);
  settings.stop.time = std::chrono::seconds(time);
  settings.stop.patience = static_cast<int>(patience);
  settings.stop.stop_at_roof = roof != 0;
  return settings;
}

}  // namespace kp::loop
