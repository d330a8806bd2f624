// SPDX-License-Identifier: Apache-2.0
// Any text as a disassembler's output: reading and counting must end, and counts must agree.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "profile/sass_census.h"
#include "profile/sass_flow.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kp;           // NOLINT
  using namespace kp::profile;  // NOLINT
  const auto functions = read_sass({reinterpret_cast<const char*>(data), size});
  if (!functions) return 0;
  for (const SassFunction& function : *functions) {
    const SassFlow flow = flow_of(function);
    KP_CHECK(flow.reached.size() == function.code.size(), "one mark for each instruction");
    KP_CHECK(flow.reached[0], "the entry is reached");
    for (std::size_t i = 0; i < function.code.size(); ++i)
      KP_CHECK(!flow.innermost[i] || flow.reached[i], "loops are reached");
    MetricSet metrics;
    add_census(function, metrics);
    KP_CHECK(*metrics.get(metric::kSassInst) >= *metrics.get(metric::kSassInnerInst),
             "a part is no larger than the whole");
    (void)find_function(*functions, function.name);
  }
  return 0;
}
