// SPDX-License-Identifier: Apache-2.0
// The first half of run_child (child.h): from a ChildSpec to a running process. Used by child.cc.
#pragma once
#include <sys/types.h>

#include "base/child.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace kp {

/// A running program that leads a process group of its own, and our ends of its pipes.
struct StartedChild {
  pid_t pid = -1;
  Descriptor input, output, error_output;
};

/// Returns once the program runs, or after it could not be started. The caller must reap it.
Result<StartedChild> start_child(const ChildSpec& spec);

}  // namespace kp
