// SPDX-License-Identifier: Apache-2.0
#include "build/header_roots.h"

#include <algorithm>
#include <cstdlib>

#include "base/hash.h"

namespace kp::build {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestHeader = 64ull << 20;

/// Not the folders alone: a checkout itself is called cutlass.
bool holds_headers(const Path& folder) {
  std::error_code error;
  return fs::exists(folder / "cute/tensor.hpp", error) ||
         fs::exists(folder / "cutlass/cutlass.h", error);
}

void add_root(const Path& root, std::vector<Path>& found) {
  for (const Path& folder : {root / "include", root}) {
    if (!holds_headers(folder)) continue;
    std::error_code error;
    const Path canonical = fs::canonical(folder, error);
    if (!error && std::find(found.begin(), found.end(), canonical) == found.end())
      found.push_back(canonical);
    return;
  }
}

Result<std::vector<Path>> files_below(const Path& root) {
  std::error_code error;
  std::vector<Path> files;
  for (fs::recursive_directory_iterator at(root, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_regular_file(error)) files.push_back(at->path());
  }
  if (error)
    return fail(ErrorCode::kIo,
                "cannot list the headers below " + root.string() + ": " + error.message(),
                "give a --code-root that this user can read");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<Path> find_header_roots(const std::vector<Path>& code_roots) {
  std::vector<Path> found;
  for (const Path& root : code_roots) add_root(root, found);
  const char* cutlass = std::getenv("KERNELPRO_CUTLASS");
  if (cutlass != nullptr && *cutlass != '\0') add_root(cutlass, found);
  return found;
}

Result<std::string> identity_of_headers(const std::vector<Path>& roots) {
  std::string all;
  for (const Path& root : roots) {
    KP_TRY(const auto files, files_below(root));
    for (const Path& file : files) {
      KP_TRY(const std::string bytes, read_file(file, kLargestHeader));
      all += content_address({file.lexically_relative(root).generic_string(), bytes});
    }
    all += '\n';
  }
  return all.empty() ? all : to_hex(hash_text(all));
}

}  // namespace kp::build
