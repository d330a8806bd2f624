// SPDX-License-Identifier: Apache-2.0
// Any bytes as the answer of the process that holds PyTorch: what is read is within bounds,
// whatever cannot be read is an error that says so.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "model/json.h"
#include "torch/array_file.h"
#include "torch/protocol.h"

namespace {

using namespace kp::torch;  // NOLINT

template <class Read>
void check_error(const kp::Result<Read>& read) {
  KP_CHECK(read.has_value() || !read.error().message.empty(), "a failure says what it is");
}

void check_description(const nlohmann::json& body) {
  const auto description = description_from(body);
  check_error(description);
  if (!description) return;
  for (const Member& member : description->inputs) {
    for (const std::int64_t extent : member.shape) KP_CHECK(extent >= 0, "extents count");
  }
}

void check_entries(const nlohmann::json& body) {
  static const auto file = ArrayFile::make({{"x", {1, 2, 3}}});
  const auto arrays = file->read(body.value("arrays", nlohmann::json::array()));
  check_error(arrays);
  if (!arrays) return;
  for (const auto& [name, values] : *arrays) KP_CHECK(values.size() <= 3, "no more than there is");
}

/// A guest is hostile: what it says of its outputs and times goes on to others.
void check_guest(const nlohmann::json& body) {
  const auto outputs = raw_outputs_from(body);
  check_error(outputs);
  if (outputs) {
    for (const RawOutput& output : *outputs) {
      for (const std::int64_t extent : output.shape) KP_CHECK(extent >= 0, "extents count");
    }
  }
  const auto times = nanoseconds_from(body);
  check_error(times);
  if (times) {
    for (const double time : *times) KP_CHECK(time >= 0, "time does not run backwards");
  }
  const auto kernels = kernels_from(body);
  check_error(kernels);
  if (kernels) {
    for (const GuestKernel& kernel : *kernels) {
      KP_CHECK(kernel.nanoseconds >= 0 && std::isfinite(kernel.nanoseconds), "nor here");
    }
  }
  check_error(distances_from(body));
  check_error(kept_from(body));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto body = kp::parse_json({reinterpret_cast<const char*>(data), size});
  if (!body) return 0;
  check_description(*body);
  check_error(constants_from(*body));
  check_error(installation_from(*body));
  check_error(timed_from(*body));
  KP_CHECK(!failure_from(*body).text().empty(), "a failure says what it is");
  if (body->is_object()) {
    check_entries(*body);
    check_guest(*body);
  }
  return 0;
}
