// SPDX-License-Identifier: Apache-2.0
// How far a baseline differs from itself when it is judged like a candidate.
#pragma once
#include <functional>
#include <string>

#include "base/stop.h"
#include "suite/suite_store.h"

namespace kp::suite {

/// Is told of each task: its noise, or why there is none.
using OnNoise = std::function<void(const std::string& task, const Result<Noise>& noise)>;

/// Judges the baseline of every wanted task at full depth against itself on `device`, and keeps
/// what came of it. On hardware in alternation, as candidates are; a virtual device judges twice,
/// with other inputs. Tasks without baseline have none. Returns how many were kept.
Result<int> record_noise(SuiteStore& store, const std::string& device, const OnNoise& told,
                         const StopFlag& stop);

}  // namespace kp::suite
