// SPDX-License-Identifier: Apache-2.0
#include "codesearch/source_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

namespace kp::codesearch {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 20> kEndings{
    ".h",   ".hh",  ".hpp", ".hxx", ".cuh", ".cu",  ".c",  ".cc",  ".cpp", ".cxx",
    ".inl", ".ipp", ".inc", ".ptx", ".py",  ".pyi", ".md", ".rst", ".cl",  ".metal"};

// CMake's, Ninja's, and that of https://bford.info/cachedir/.
constexpr std::array<const char*, 3> kMarks{"CMakeCache.txt", "build.ninja", "CACHEDIR.TAG"};
constexpr std::array<std::string_view, 2> kFolders{"node_modules", "__pycache__"};

bool is_worthless(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (name.starts_with('.')) return true;
  if (std::find(kFolders.begin(), kFolders.end(), name) != kFolders.end()) return true;
  return std::any_of(kMarks.begin(), kMarks.end(), [&](const char* mark) {
    std::error_code error;
    return fs::exists(folder / mark, error);
  });
}

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

void add_file(const fs::path& file, const Path& root, std::vector<SourceFile>& found) {
  if (!is_source_name(file.filename().string())) return;
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (bytes > kMostSourceBytes) return;
  found.push_back(
      {file.lexically_relative(root).generic_string(), bytes, nanoseconds(status.st_mtim)});
}

}  // namespace

bool is_source_name(std::string_view name) {
  if (name.starts_with('.')) return false;
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [name](std::string_view ending) { return name.ends_with(ending); });
}

Result<std::vector<SourceFile>> list_sources(const Path& root) {
  std::error_code error;
  fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, error);
  if (error) {
    return fail(ErrorCode::kNotFound,
                fmt::format("cannot look into the folder {}: {}", root.string(), error.message()),
                "give a folder that exists and can be read");
  }
  std::vector<SourceFile> found;
  while (at != fs::recursive_directory_iterator()) {
    std::error_code unknown;
    const auto status = at->symlink_status(unknown);
    if (!unknown && fs::is_directory(status)) {
      if (is_worthless(at->path())) at.disable_recursion_pending();
    } else if (!unknown) {
      add_file(at->path(), root, found);
    }
    at.increment(error);
    if (error) break;  // what vanished while we looked is found the next time
  }
  std::sort(found.begin(), found.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return found;
}

}  // namespace kp::codesearch
