// SPDX-License-Identifier: Apache-2.0
// Which datapath multiplies: matrix instructions in the code and as executed, multiply-adds of
// scalar lanes, and what the tensor cores allow.
#pragma once
#include <optional>
#include <string_view>

#include "diagnose/evidence.h"

namespace kp::diagnose {

/// Which matrix instructions the code has, and whether they ran; absent means unknown.
struct MatrixUse {
  std::optional<double> warp, warpgroup;  // in the machine code
  std::optional<double> executed;         // warp instructions
  std::optional<double> percent;          // of the tensor pipe

  std::optional<bool> in_code() const;
  std::optional<bool> ran() const;
  std::optional<bool> present() const;  // in the code, or seen to run
};
MatrixUse matrix_use(const Evidence& evidence);

/// Whether the tensor pipe was seen to do arithmetic.
bool on_tensor_cores(const Evidence& evidence);
/// Whether the device has matrix instructions of a warp group (wgmma).
bool has_warpgroup(const DeviceSpec& device);
/// Multiply-adds among the instructions of the inner loops, of the code or as executed; absent when
/// unknown.
std::optional<double> fma_share(const Evidence& evidence);

/// FLOP/s of a datapath, and how it is called.
struct Datapath {
  double peak = 0;
  std::string_view name;
};
/// The one that the task's precision class allows; absent when the device has none for it.
std::optional<Datapath> datapath_of(const Evidence& evidence);

}  // namespace kp::diagnose
