// SPDX-License-Identifier: Apache-2.0
// Any text as compute-sanitizer's log: reading it must end, and what is told must be printable.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "device/cuda/sanitizer_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kp::device::cuda;  // NOLINT
  const SanitizerLog log = read_sanitizer_log({reinterpret_cast<const char*>(data), size});
  for (const SanitizerFinding& finding : log.findings) {
    const kp::Crashed crashed = crash_of(finding, "memcheck");
    KP_CHECK(!crashed.message.empty(), "a finding has a text");
    KP_CHECK(std::ranges::all_of(crashed.message, [](char c) { return c >= ' ' && c <= '~'; }),
             "it is printable");
    KP_CHECK(crashed.spot.line >= 0, "lines count from 1, and 0 is unknown");
  }
  return 0;
}
