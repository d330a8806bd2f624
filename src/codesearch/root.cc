// SPDX-License-Identifier: Apache-2.0
#include "codesearch/root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/text.h"

namespace kp::codesearch {
namespace {

constexpr std::string_view kRelative = "give the path as a search prints it, relative to the root";

/// The parts of a path that stays below where it begins.
Result<std::vector<std::string>> parts_of(std::string_view path) {
  const auto refuse = [&](std::string_view why) {
    return fail(ErrorCode::kInvalidInput, fmt::format("`{}` {}", path, why),
                std::string(kRelative));
  };
  if (path.starts_with('/')) return refuse("is an absolute path");
  if (path.find('\0') != std::string_view::npos) return refuse("holds a zero byte");
  std::vector<std::string> parts;
  for (const std::string_view part : split(path, '/')) {
    if (part == "..") return refuse("leaves the root");
    if (!part.empty() && part != ".") parts.emplace_back(part);
  }
  if (parts.empty()) return refuse("names no file");
  return parts;
}

tl::unexpected<Error> not_opened(std::string_view path, int error) {
  if (error == ENOENT)
    return fail(ErrorCode::kNotFound, fmt::format("there is no file `{}`", path),
                std::string(kRelative));
  // O_NOFOLLOW says ELOOP for a link to a file, and ENOTDIR for one to a folder.
  if (error == ELOOP || error == ENOTDIR)
    return fail(ErrorCode::kInvalidInput,
                fmt::format("`{}` goes through a symbolic link or a file", path),
                "name the file by the path that a search prints");
  return fail(ErrorCode::kIo, fmt::format("cannot read `{}`: {}", path, std::strerror(error)),
              "choose another file, or give this user the right to read it");
}

/// Part by part and without following links, so that no rename in between leads out.
Result<Descriptor> open_below(int root, std::string_view path) {
  KP_TRY(const auto parts, parts_of(path));
  Descriptor at;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const int kind = i + 1 < parts.size() ? O_DIRECTORY | O_PATH : O_RDONLY | O_NONBLOCK;
    const int from = i == 0 ? root : at.number();
    Descriptor next(::openat(from, parts[i].c_str(), kind | O_NOFOLLOW | O_CLOEXEC));
    if (!next.open()) return not_opened(path, errno);
    at = std::move(next);
  }
  return at;
}

}  // namespace

Result<Root> Root::open(const Path& folder) {
  std::error_code error;
  const Path canonical = std::filesystem::canonical(folder, error);
  Descriptor descriptor(::open(canonical.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (error || !descriptor.open()) {
    return fail(ErrorCode::kNotFound, fmt::format("no folder to search: {}", folder.string()),
                "give a folder that exists, such as a checkout of CUTLASS");
  }
  return Root(canonical, std::move(descriptor));
}

Result<std::string> Root::read(std::string_view path, std::uint64_t max_bytes) const {
  KP_TRY(const Descriptor file, open_below(descriptor_.number(), path));
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return not_opened(path, errno);
  if (!S_ISREG(status.st_mode))
    return fail(ErrorCode::kInvalidInput, fmt::format("`{}` is not a file", path),
                "name a file in it");
  auto text = read_text(fmt::format("/proc/self/fd/{}", file.number()), max_bytes);
  if (text) return text;
  const ErrorCode code = text.error().code;
  if (code == ErrorCode::kLimit)
    return fail(
        code,
        fmt::format("`{}` is larger than {}", path, format_bytes(static_cast<double>(max_bytes))),
        "choose a smaller file");
  if (code == ErrorCode::kInvalidInput)
    return fail(code, fmt::format("`{}` is not a text file", path), "choose a source file");
  return fail(code, fmt::format("cannot read `{}`", path), text.error().hint);
}

}  // namespace kp::codesearch
