// SPDX-License-Identifier: Apache-2.0
// How the process of a published candidate is confined.
#pragma once
#include "torch/worker.h"

namespace kp::suite {

/// Whether it can be: "bubblewrap", or nothing with the reason.
Result<std::string> guest_confinement();

/// No network, no process but its own, nothing writable but an empty /tmp that goes with it; of the
/// machine it sees the system's programs and libraries, `python` with its packages, CUDA, and the
/// GPU. At most 16 GiB in one file.
ChildSpec confined_guest(ChildSpec child, const std::string& python);

}  // namespace kp::suite
