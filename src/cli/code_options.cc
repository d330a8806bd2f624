// SPDX-License-Identifier: Apache-2.0
#include "cli/code_options.h"

#include <cstdlib>

namespace kp::cli {

void add_code_roots(CLI::App& command, std::vector<std::string>& roots) {
  command
      .add_option("--code-root", roots,
                  "source tree, such as a checkout of CUTLASS; may be repeated; "
                  "$KERNELPRO_CUTLASS when not given")
      ->type_name("DIR")
      ->allow_extra_args(false);
}

std::vector<Path> code_folders(const std::vector<std::string>& roots) {
  std::vector<Path> folders(roots.begin(), roots.end());
  const char* usual = std::getenv("KERNELPRO_CUTLASS");
  if (folders.empty() && usual != nullptr && *usual != '\0') folders.emplace_back(usual);
  return folders;
}

Result<codesearch::Index> open_index(const std::vector<std::string>& roots) {
  KP_TRY(codesearch::Index index, codesearch::Index::open(code_folders(roots)));
  KP_TRY_VOID(index.refresh());
  return index;
}

}  // namespace kp::cli
