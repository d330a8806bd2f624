// SPDX-License-Identifier: Apache-2.0
// Chooses the adapter for a path.
#include <fmt/format.h>

#include "task/python_problem.h"
#include "task/reader.h"
#include "task/task.h"

namespace kp::task {

Result<Task> read_task(const Path& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) {
    return fail(ErrorCode::kNotFound, fmt::format("no task at {}", path.string()),
                "give a folder with definition.json, or a .cu file whose plan declares a task");
  }
  if (std::filesystem::is_directory(status)) {
    const Path folder = path.has_filename() ? path : path.parent_path();
    return read_directory(folder);
  }
  if (path.extension() == ".cu") return read_single_file(path);
  if (path.extension() == ".json") return read_definition_file(path);
  if (path.extension() == ".py") {
    KP_TRY(const auto worker, torch::Worker::start({}));
    return read_python_problem(*worker, path);
  }
  return fail(ErrorCode::kInvalidInput, fmt::format("{} is no task", path.string()),
              "give a folder with definition.json, a .cu file whose plan declares a task, or a "
              "Python problem");
}

}  // namespace kp::task
