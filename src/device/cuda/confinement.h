// SPDX-License-Identifier: Apache-2.0
// How the processes that hold device code are confined. Used by worker.cc.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/child.h"
#include "base/result.h"

namespace kp::device::cuda {

enum class Confinement {
  kFull,      // bubblewrap's namespaces, and what follows
  kLandlock,  // files by Landlock, and what follows
  kMinimal,   // no new privileges, system calls filtered, nothing inherited
};
/// "full", "landlock", "minimal": what a worker is asked for.
std::string_view name_of(Confinement confinement);

/// What KERNELPRO_SANDBOX names, for tests and machines on which the strongest does not serve; else
/// kFull. kInvalidInput lists the names.
Result<Confinement> strongest_confinement();

/// How `command`, that of a worker, is started: in a jail where `confinement` is full, with the few
/// variables that it may see.
ChildSpec confined_worker(std::vector<std::string> command, Confinement confinement);

/// The driver's nodes under /dev; numbers of GPUs beside our own are there for
/// CUDA_VISIBLE_DEVICES.
std::vector<Path> gpu_nodes();

/// Folders with libraries that a worker may need beside the system's.
std::vector<Path> library_folders();

/// NAME=value of all that a process with device code needs.
std::vector<std::string> worker_environment();

}  // namespace kp::device::cuda
