// SPDX-License-Identifier: Apache-2.0
#include "cli/task_options.h"

#include <fmt/format.h>

#include "task/task.h"

namespace kp::cli {

void add_from_option(CLI::App& command, Path& from) {
  command.add_option("--from", from, "plan file to begin with, instead of the task's own baseline");
}

Result<Task> read_task(const std::string& path, Path& from) {
  KP_TRY(Task task, task::read_task(path));
  if (from.empty()) return task;
  from = std::filesystem::absolute(from).lexically_normal();
  KP_TRY_VOID(task::begin_from(task, from));
  return task;
}

Result<void> check_begin(const Task& task, const std::string& proposer) {
  if (task.baseline || proposer != "rewriter") return {};
  return fail(
      ErrorCode::kInvalidInput,
      fmt::format("{} has no baseline plan, and the rewriter can only change one", task.name),
      "give one with --from FILE.cu, or choose a --proposer that writes code, such as "
      "anthropic:MODEL or command:CMD");
}

}  // namespace kp::cli
