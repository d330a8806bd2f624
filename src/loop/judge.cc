// SPDX-License-Identifier: Apache-2.0
#include "loop/judge.h"

namespace kp::loop {

Judged unreadable(const Error& error, Depth depth, const device::Description& device) {
  return {Evaluation{BuildFailed{error.text(), error.spot}, depth, device.name, 0, {}}, {}};
}

}  // namespace kp::loop
