// SPDX-License-Identifier: Apache-2.0
// Any text as Nsight Compute's CSV: reading it must end soon and without a crash, and what is read
// must hold together.
#include <cmath>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "profile/ncu.h"
#include "profile/ncu_value.h"

namespace {

using namespace kp;           // NOLINT
using namespace kp::profile;  // NOLINT

constexpr const char* kHead =
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\","
    "\"gpu__time_duration.sum\",\"dram__bytes_read.sum\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"us\",\"Mbyte\"\n";
constexpr const char* kDetails =
    "\"ID\",\"Process ID\",\"Kernel Name\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\","
    "\"Metric Value\",\"Rule Name\",\"Rule Type\",\"Rule Description\",\"Estimated Speedup Type\","
    "\"Estimated Speedup\"\n";

void check_kernel(const RecordedKernel& kernel) {
  KP_CHECK(kernel.launches > 0, "a kernel was launched");
  KP_CHECK(std::isfinite(kernel.total_ns), "a sum of times is a number");
  for (const auto& [name, metric] : kernel.profile.metrics.all()) {
    KP_CHECK(!name.empty(), "a metric has a name");
    KP_CHECK(!std::isnan(metric.value), "a value that is no number is missing");
  }
}

void check_text(const std::string& text) {
  const auto recording = parse_ncu_csv(text, "fuzz.csv");
  if (!recording) {
    KP_CHECK(!recording.error().message.empty(), "an error must say something");
    KP_CHECK(!recording.error().hint.empty(), "an error must say what to do");
    return;
  }
  KP_CHECK(!recording->kernels.empty(), "a recording holds kernels");
  for (const RecordedKernel& kernel : recording->kernels) check_kernel(kernel);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_text(text);
  check_text(kHead + text);
  check_text(kDetails + text);
  (void)short_name(text);
  (void)ncu::value_of(text);
  (void)ncu::factor_to_base(text);
  return 0;
}
