// SPDX-License-Identifier: Apache-2.0
#include "harness/labels.h"

#include <fmt/format.h>

#include "base/text.h"
#include "harness/timing.h"

namespace kp::harness {
namespace {

constexpr double kNearFloor = 1.1;

Result<double> flop_floor(const LabelRequest& request) {
  if (!request.declaration.work.contraction) return 0;
  const auto peak = request.spec.flops.find(request.precision);
  KP_TRY(const auto flops, declared_flops(request.declaration, request.workload));
  const bool known = flops && peak != request.spec.flops.end() && peak->second > 0;
  return known ? *flops / peak->second * 1e9 : 0;
}

}  // namespace

Result<std::vector<Label>> labels_for(const LabelRequest& request) {
  std::vector<Label> labels;
  const std::string time = format_duration_ns(request.nanoseconds);
  KP_TRY(const double flops, flop_floor(request));
  if (request.nanoseconds < flops) {
    labels.push_back({"flop-floor",
                      fmt::format("faster than the class-standard algorithm allows: {} on workload "
                                  "{}, where its FLOP at the {} peak of the data sheet take {}",
                                  time, request.workload.name, name_of(request.precision),
                                  format_duration_ns(flops))});
  }
  KP_TRY(const double bytes, byte_floor(request.declaration, request.workload.axes, request.spec));
  if (bytes > 0 && request.nanoseconds < kNearFloor * bytes) {
    labels.push_back({"near-byte-floor",
                      fmt::format("{} on workload {} is {:.2f} times the least in which its bytes "
                                  "fit through memory at the data sheet's bandwidth",
                                  time, request.workload.name, request.nanoseconds / bytes)});
  }
  return labels;
}

}  // namespace kp::harness
