// SPDX-License-Identifier: Apache-2.0
// Which files of a tree are worth finding: source and documentation, not what a build left behind.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace kp::codesearch {

constexpr std::uint64_t kMostSourceBytes = 1ull << 20;  // larger files are generated

struct SourceFile {
  std::string path;  // relative to the root, with `/`
  std::uint64_t bytes = 0;
  std::int64_t modified_ns = 0;  // since 1970
};

/// C, C++, CUDA, Python, Markdown and reStructuredText, by the end of the name.
bool is_source_name(std::string_view name);

/// In order of their paths. Left out: other kinds of files, those above kMostSourceBytes, hidden
/// ones, symbolic links (what they mean is found under its own name), and folders in which CMake,
/// Ninja or a cache has left its mark. Unreadable folders are left out too. kNotFound: no such
/// root.
Result<std::vector<SourceFile>> list_sources(const Path& root);

}  // namespace kp::codesearch
