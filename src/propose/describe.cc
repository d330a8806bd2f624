// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "propose/rewrite.h"

namespace kp::propose {

std::string describe_rewrites_markdown() {
  std::string out =
      "# Rewrites\n\nEach rewrite carries out one prescription on the syntax of a kernel, and "
      "refuses"
      " what does not fit. This page is\ngenerated from the rewrites themselves.\n\n"
      "| rewrite | carries out | does | where |\n|---|---|---|---|\n";
  for (const auto& rewrite : rewrites()) {
    const AboutRewrite about = rewrite->about();
    out += fmt::format("| {} | `{}` | {} | {} |\n", about.name, about.action, about.does,
                       about.preconditions);
  }
  return out;
}

}  // namespace kp::propose
