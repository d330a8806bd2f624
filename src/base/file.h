// SPDX-License-Identifier: Apache-2.0
// Files and folders. All writes are crash-safe: a reader sees the old content or the new, never
// half.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kp {

using Path = std::filesystem::path;

/// The whole file as bytes. kNotFound, kIo, or kLimit when it is larger than `max_bytes`.
Result<std::string> read_file(const Path& path, std::uint64_t max_bytes = 1ull << 30);

/// As read_file, and refuses with kInvalidInput what is not UTF-8 text (a NUL byte, a bad
/// sequence).
Result<std::string> read_text(const Path& path, std::uint64_t max_bytes = 16ull << 20);

/// Writes beside `path`, syncs, renames over it. kIo names the cause (disk full, read-only folder).
Result<void> write_file(const Path& path, std::string_view bytes);

/// mkdir -p.
Result<void> make_folder(const Path& path);

/// $KERNELPRO_CACHE, else $XDG_CACHE_HOME/kernelpro, else ~/.cache/kernelpro, else a folder under
/// the temporary folder. Not created.
Path cache_folder();

/// The folder that holds the running program (from /proc/self/exe).
Path program_folder();

/// A folder of our own under the temporary folder, removed with all it holds at destruction.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> make(std::string_view prefix = "kernelpro");
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&& other) noexcept;
  ~TemporaryFolder();
  const Path& path() const { return path_; }

 private:
  explicit TemporaryFolder(Path path) : path_(std::move(path)) {}
  Path path_;
};

}  // namespace kp
