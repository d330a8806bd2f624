// SPDX-License-Identifier: Apache-2.0
#include "suite/task_list.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <glob.h>

#include <algorithm>
#include <map>

namespace kp::suite {
namespace {

namespace fs = std::filesystem;

bool holds_definition(const Path& folder) { return fs::exists(folder / "definition.json"); }

Path cleaned(const Path& path) {
  std::error_code error;
  const Path absolute = fs::absolute(path, error).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

std::vector<Path> glob_all(const std::string& pattern) {
  glob_t found{};
  std::vector<Path> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return paths;
}

tl::unexpected<Error> nothing_at(const Path& place) {
  return fail(ErrorCode::kNotFound, fmt::format("there is no task at {}", place.string()),
              "name task folders, .cu files that declare their task, or folders of these");
}

}  // namespace

bool may_be_task(const Path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return holds_definition(path);
  const std::string name = path.filename().string();
  if (name.ends_with(".reference.cu") || name.starts_with("__")) return false;
  return name.ends_with(".cu") || name.ends_with(".py");
}

Result<std::vector<Path>> tasks_in(const Path& folder) {
  std::vector<Path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (may_be_task(entry.path())) paths.push_back(cleaned(entry.path()));
  }
  if (error) {
    return fail(ErrorCode::kIo,
                fmt::format("{} cannot be read: {}", folder.string(), error.message()));
  }
  if (paths.empty()) return nothing_at(folder);
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<std::vector<Path>> find_tasks(const Path& base, const std::string& pattern) {
  const Path place = Path(pattern).is_absolute() ? Path(pattern) : base / pattern;
  std::error_code error;
  if (fs::is_directory(place, error) && !holds_definition(place)) return tasks_in(place);
  if (fs::exists(place, error)) return std::vector<Path>{cleaned(place)};
  std::vector<Path> paths;
  for (const Path& path : glob_all(place.string())) {
    if (may_be_task(path)) paths.push_back(cleaned(path));
  }
  if (paths.empty()) return nothing_at(place);
  return paths;
}

std::vector<TaskEntry> entries(const std::vector<Path>& paths) {
  std::vector<Path> once;
  std::map<std::string, int> alike;
  for (const Path& path : paths) {
    if (std::find(once.begin(), once.end(), path) != once.end()) continue;
    once.push_back(path);
    ++alike[path.stem().string()];
  }
  std::vector<TaskEntry> list;
  for (const Path& path : once) {
    const std::string name = path.stem().string();
    const std::string folder = path.parent_path().filename().string();
    list.push_back({alike[name] > 1 ? folder + "-" + name : name, path});
  }
  return list;
}

bool fits(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), FNM_PATHNAME) == 0;
}

}  // namespace kp::suite
