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

Result<codesearch::Index> open_index(const std::vector<std::string>& roots) {
  std::vector<Path> folders(roots.begin(), roots.end());
  const char* usual = std::getenv("KERNELPRO_CUTLASS");
  if (folders.empty() && usual != nullptr && *usual != '\0') folders.emplace_back(usual);
  KP_TRY(codesearch::Index index, codesearch::Index::open(folders));
  KP_TRY_VOID(index.refresh());
  return index;
}

}  // namespace kp::cli
