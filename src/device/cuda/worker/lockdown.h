// SPDX-License-Identifier: Apache-2.0
// What the process denies itself. Everything here only ever takes away; each returns whether the
// kernel did it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace kp::device::cuda {

/// No new privileges, no core dump, small files, few descriptors, and the end when the parent ends.
/// No bound on addresses: CUDA reserves far more than it uses.
bool limit_process();

/// What Landlock allows: reading below `readable` and `system_folders`, writing to /proc and to the
/// GPU's device nodes. No program can be started, no port opened, no process outside signalled.
/// Before any thread is started: Landlock binds the calling thread and its children.
bool restrict_files(const std::vector<std::string>& readable);

/// System calls that neither the driver nor we need fail with EPERM, in all threads.
bool filter_system_calls();

/// Nobody of the same user may read our memory through /proc or attach to us.
bool hide_memory();

}  // namespace kp::device::cuda
