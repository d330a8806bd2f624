// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "diagnose/diagnose.h"

namespace kp::diagnose {
namespace {

std::string speaks_about(const Tool& tool) {
  std::string classes;
  for (const Boundness boundness : {Boundness::kMemory, Boundness::kCompute, Boundness::kLatency,
                                    Boundness::kMixed, Boundness::kLaunch}) {
    if (!tool.relevant(boundness)) continue;
    classes += fmt::format("{}{}", classes.empty() ? "" : ", ", name_of(boundness));
  }
  return classes;
}

std::string describe(const Tool& tool) {
  const About about = tool.about();
  std::string out = fmt::format("\n## {}\n\n", about.name);
  out += fmt::format("- **Sees:** {}\n", about.sees);
  out += fmt::format("- **Costs because:** {}\n", about.costs);
  out += fmt::format("- **Try:** {}\n", about.tries);
  out += fmt::format("- **Misleads when:** {}\n", about.misleads);
  out += fmt::format("- **Source:** {}\n", about.source);
  out += fmt::format("- **Speaks about kernels bound by:** {}\n- **Needs:**", speaks_about(tool));
  std::string_view separator = " ";
  for (const MetricKey& key : tool.needs()) {
    out += fmt::format("{}`{}`", separator, key.name);
    separator = ", ";
  }
  return out + "\n";
}

}  // namespace

std::string describe_tools_markdown() {
  std::string out =
      "# Tools\n\nEach tool looks for one fault of a kernel. This page is generated from the tools"
      " themselves;\n`kernelpro tools` prints the same.\n";
  for (const std::unique_ptr<Tool>& tool : tools()) out += describe(*tool);
  return out;
}

}  // namespace kp::diagnose
