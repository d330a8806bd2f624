// SPDX-License-Identifier: Apache-2.0
#include "harness/fixed_input.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/convert.h"
#include "task/safetensors.h"

namespace kp::harness {
namespace {

constexpr double kLargestWhole = 0x1p53;  // whole numbers up to here are doubles

}  // namespace

Result<std::string> fixed_bytes(const FixedInput& data) {
  return task::read_range(data.file, data.offset, data.bytes);
}

Result<std::vector<double>> fixed_values(const FixedInput& data, DType dtype) {
  KP_TRY(const std::string bytes, fixed_bytes(data));
  std::vector<double> values(bytes.size() / size_of(dtype));
  decode(dtype, std::as_bytes(std::span(bytes)), values);
  if (is_floating(dtype)) return values;
  for (const double value : values) {
    if (std::fabs(value) < kLargestWhole) continue;
    return fail(ErrorCode::kUnsupported,
                fmt::format("tensor `{}` of {} holds the integer {:.0f}", data.key,
                            data.file.string(), value),
                "expected values are computed in double, which holds integers below 2^53");
  }
  return values;
}

}  // namespace kp::harness
