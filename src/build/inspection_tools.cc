// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "base/child.h"
#include "build/toolchain.h"
#include "build/toolchain_roots.h"

namespace kp::build {
namespace {

/// The folders of `parent`, last name first: versions are part of names.
std::vector<Path> newest_first(const Path& parent) {
  std::vector<Path> folders;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
    if (entry.is_directory(error)) folders.push_back(entry.path());
  }
  std::sort(folders.rbegin(), folders.rend());
  return folders;
}

/// `name` in PATH, else the first of `places` that exists.
Path find_tool(const std::string& name, const std::vector<Path>& places) {
  if (const auto found = find_program(name)) return *found;
  std::error_code error;
  for (const Path& place : places) {
    if (std::filesystem::exists(place, error)) return place;
  }
  return {};
}

/// `relative` below each CUDA folder.
std::vector<Path> in_toolkits(const Path& relative) {
  std::vector<Path> places;
  for (const Path& root : toolkit_roots()) places.push_back(root / relative);
  return places;
}

/// The same, and below each version of a product in /opt/nvidia, where its own package puts it.
std::vector<Path> in_toolkits_and_product(const Path& relative, const Path& product,
                                          std::initializer_list<const char*> within) {
  std::vector<Path> places = in_toolkits(relative);
  for (const Path& version : newest_first("/opt/nvidia" / product)) {
    for (const char* path : within) places.push_back(version / path);
  }
  return places;
}

Path find_cupti() {
  std::vector<Path> roots = toolkit_roots();
  roots.push_back("/usr");
  for (const Path& root : roots) {
    Path found =
        find_library(root,
                     {"extras/CUPTI/lib64", "lib64", "targets/x86_64-linux/lib",
                      "targets/sbsa-linux/lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"},
                     "libcupti.so");
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

InspectionTools find_inspection_tools() {
  InspectionTools found;
  found.nvdisasm = find_tool("nvdisasm", in_toolkits("bin/nvdisasm"));
  found.cuobjdump = find_tool("cuobjdump", in_toolkits("bin/cuobjdump"));
  found.ncu = find_tool(
      "ncu", in_toolkits_and_product("bin/ncu", "nsight-compute",
                                     {"ncu", "target/linux-desktop-glibc_2_11_3-x64/ncu"}));
  found.nsys = find_tool("nsys", in_toolkits_and_product("bin/nsys", "nsight-systems",
                                                         {"bin/nsys", "target-linux-x64/nsys"}));
  std::vector<Path> sanitizers = in_toolkits("bin/compute-sanitizer");
  for (const Path& place : in_toolkits("compute-sanitizer/compute-sanitizer"))
    sanitizers.push_back(place);
  found.compute_sanitizer = find_tool("compute-sanitizer", sanitizers);
  found.cupti = find_cupti();
  return found;
}

Result<Path> find_ncu() {
  Path ncu = find_inspection_tools().ncu;
  if (!ncu.empty()) return ncu;
  return fail(ErrorCode::kUnavailable, "there is no `ncu` on this machine",
              "install Nsight Compute (it comes with the CUDA toolkit: package nsight-compute)");
}

}  // namespace kp::build
