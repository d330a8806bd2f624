// SPDX-License-Identifier: Apache-2.0
// Files that profilers write, told apart by their content.
#pragma once
#include "profile/recording.h"

namespace kp::profile {

/// Whether `path` is such a file rather than a task or a source.
bool is_recording(const Path& path);
/// Errors: those of the readers in recording.h, and kUnsupported for a report that only its own
/// profiler reads.
Result<Recording> read_recording(const Path& file);
/// The first bytes of a file; empty when it cannot be read.
std::string beginning_of(const Path& file);

}  // namespace kp::profile
