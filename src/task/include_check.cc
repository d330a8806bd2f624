// SPDX-License-Identifier: Apache-2.0
#include "task/include_check.h"

#include <fmt/format.h>

#include "base/text.h"
#include "task/source_text.h"

namespace kp::task {
namespace {

bool leaves_the_roots(std::string_view header) {
  if (header.starts_with('/') || header.find('\\') != std::string_view::npos) return true;
  if (header.find(':') != std::string_view::npos) return true;
  for (const std::string_view part : split(header, '/')) {
    if (part == "..") return true;
  }
  return false;
}

/// The folder of a header, without the `.` parts that change nothing.
std::string_view library_of(std::string_view header) {
  while (header.starts_with("./")) header.remove_prefix(2);
  return header.substr(0, header.find('/'));
}

IncludeLevel needed_by(std::string_view header) {
  const std::string_view library = library_of(header);
  if (library == "cutlass") return IncludeLevel::kCutlass;
  if (library == "cute") return IncludeLevel::kCute;
  return IncludeLevel::kRaw;
}

}  // namespace

Result<void> check_includes(std::string_view source, const std::string& file, IncludeLevel level) {
  const TextMap map(source, file);
  for (const Include& include : find_includes(source)) {
    const SourceSpot spot = map.spot(include.offset);
    if (include.header.empty()) {
      return fail_at(spot, "an include whose header is not written literally",
                     "write `#include <header>`");
    }
    if (leaves_the_roots(include.header)) {
      return fail_at(spot, fmt::format("`{}` leaves the include folders", include.header),
                     "include CUDA headers by their name, such as <cuda_fp16.h> or <cub/cub.cuh>");
    }
    const IncludeLevel needed = needed_by(include.header);
    if (needed > level) {
      return fail_at(
          spot,
          fmt::format("`{}` needs level {}, the plan says level {}", include.header,
                      name_of(needed), name_of(level)),
          fmt::format("write `level {}` in the plan if the task is to allow it", name_of(needed)));
    }
  }
  return {};
}

}  // namespace kp::task
