// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/descriptor.h"
#include "base/text.h"

namespace kp {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const Path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

tl::unexpected<Error> read_failure(const Path& path, int error) {
  if (error == ENOENT || error == ENOTDIR) {
    return fail(ErrorCode::kNotFound, fmt::format("no such file: {}", path.string()),
                "check the path");
  }
  const std::string hint = error == EACCES   ? "give this user the right to read it"
                           : error == EISDIR ? "name a file in that folder"
                                             : "";
  return fail(ErrorCode::kIo,
              fmt::format("cannot read {}: {}", path.string(), std::strerror(error)), hint);
}

tl::unexpected<Error> write_failure(const Path& path, int error) {
  std::string cause = std::strerror(error);
  std::string hint = "check that the folder exists and can be written";
  if (error == ENOSPC || error == EDQUOT) {
    cause = "the disk is full";
    hint = fmt::format("free some space on the disk that holds {}", folder_of(path).string());
  } else if (error == EROFS || error == EACCES || error == EPERM) {
    cause = fmt::format("the folder {} is read-only for this user", folder_of(path).string());
    hint = "choose another output folder or change its permissions";
  } else if (error == EFBIG) {
    cause = "the file would be larger than this process may write";
    hint = "raise the file size limit (ulimit -f)";
  } else if (error == ENOENT) {
    cause = fmt::format("there is no folder {}", folder_of(path).string());
    hint = "create it first";
  }
  return fail(ErrorCode::kIo, fmt::format("cannot write {}: {}", path.string(), cause), hint);
}

// Length of the UTF-8 sequence at the start of `s`, 0 when it is malformed (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) {
    return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return lead == 0 ? 0 : 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = lead == 0xED && byte(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && byte(1) < 0x90;
    const bool beyond = lead == 0xF4 && byte(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

Result<void> require_text(const Path& path, std::string_view bytes) {
  int line = 1;
  int column = 1;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_length(bytes.substr(at));
    if (length == 0) {
      return fail_at({path.string(), line, column},
                     fmt::format("not a text file: byte 0x{:02x} is not UTF-8 text",
                                 static_cast<unsigned char>(bytes[at])),
                     "give a file that is saved as UTF-8");
    }
    const bool newline = bytes[at] == '\n';
    line += newline ? 1 : 0;
    column = newline ? 1 : column + 1;
    at += length;
  }
  return {};
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// 0, or the errno of the step that failed.
int write_and_sync(const Path& path, std::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.open()) return errno;
  if (!write_all(file.number(), bytes) || ::fsync(file.number()) != 0 || !file.close()) {
    return errno;
  }
  return 0;
}

Path name_beside(const Path& path) {
  static std::atomic<unsigned> serial{0};
  return folder_of(path) /
         fmt::format(".{}.{}.{}.tmp", path.filename().string(), ::getpid(), serial++);
}

Path temporary_root() {
  std::error_code error;
  Path root = fs::temp_directory_path(error);
  return error ? Path("/tmp") : root;
}

}  // namespace

Result<std::string> read_file(const Path& path, std::uint64_t max_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return read_failure(path, errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return read_failure(path, errno);
  // Files in /proc state no size: the size is only where to start.
  const std::uint64_t stated = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  std::string bytes(std::min(stated, max_bytes) + 1, '\0');
  std::size_t used = 0;
  for (;;) {
    const ssize_t count = ::read(file.number(), bytes.data() + used, bytes.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return read_failure(path, errno);
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
    if (used > max_bytes) {
      return fail(ErrorCode::kLimit,
                  fmt::format("{} is larger than {}", path.string(),
                              format_bytes(static_cast<double>(max_bytes))),
                  "give a smaller file");
    }
    if (used == bytes.size()) bytes.resize(2 * bytes.size() + 4096);
  }
  bytes.resize(used);
  return bytes;
}

Result<std::string> read_text(const Path& path, std::uint64_t max_bytes) {
  KP_TRY(std::string bytes, read_file(path, max_bytes));
  KP_TRY_VOID(require_text(path, bytes));
  return bytes;
}

Result<void> write_file(const Path& path, std::string_view bytes) {
  const Path fresh = name_beside(path);
  int error = write_and_sync(fresh, bytes);
  if (error == 0 && ::rename(fresh.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    if (error != EEXIST) ::unlink(fresh.c_str());
    return write_failure(path, error);
  }
  const Descriptor folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a folder (EINVAL): the rename is then as safe as they make it.
  if (folder.open() && ::fsync(folder.number()) != 0 && errno == EIO) {
    return write_failure(path, EIO);
  }
  return {};
}

Result<void> make_folder(const Path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && fs::is_directory(path, error)) return {};
  if (!error) error = std::make_error_code(std::errc::not_a_directory);
  const Error cause = write_failure(path, error.value()).value();
  return fail(ErrorCode::kIo,
              fmt::format("cannot make the folder {}: {}", path.string(), error.message()),
              cause.hint);
}

Path cache_folder() {
  const auto variable = [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string own = variable("KERNELPRO_CACHE"); !own.empty()) return own;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) {
    return Path(cache) / "kernelpro";
  }
  if (const std::string home = variable("HOME"); !home.empty()) {
    return Path(home) / ".cache" / "kernelpro";
  }
  return temporary_root() / fmt::format("kernelpro-{}", ::getuid());
}

Path program_folder() {
  std::error_code error;
  const Path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::current_path(error) : program.parent_path();
}

Result<TemporaryFolder> TemporaryFolder::make(std::string_view prefix) {
  std::string pattern = (temporary_root() / fmt::format("{}-XXXXXX", prefix)).string();
  if (::mkdtemp(pattern.data()) == nullptr) return write_failure(pattern, errno);
  return TemporaryFolder(Path(pattern));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace kp
