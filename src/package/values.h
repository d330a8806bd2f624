// SPDX-License-Identifier: Apache-2.0
// Both versions judged again, here, on the shapes of the regression test.
#pragma once
#include <string>

#include "device/device.h"
#include "package/delivery.h"

namespace kp::package {

struct Bench {
  device::Device& device;
  build::Builder& builder;
  std::uint64_t seed = 1;
};

/// "sm_90", or "sm_90a" when one of the versions needs what only that architecture has. Errors:
/// kInvalidInput when one does not build any more.
Result<std::string> architecture_of(const Delivery& delivery, build::Builder& builder);

/// Finds a shape that the guard refuses and that the original computes right, and adds it to the
/// cases; then holds both versions against the task's reference on all check shapes. Returns a
/// sentence on what was done. Errors: kInvalidInput when a version is wrong.
Result<std::string> check_values(Delivery& delivery, const Bench& bench);

}  // namespace kp::package
