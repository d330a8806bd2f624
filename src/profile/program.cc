// SPDX-License-Identifier: Apache-2.0
#include "profile/program.h"

#include <utility>

#include "build/toolchain.h"
#include "profile/program_runs.h"

namespace kp::profile {
namespace {

/// Nsight Compute has counters where our library saw none; the timeline and what the first runs
/// told stay. As it was where it knows no more.
Recording counted_elsewhere(Recording recording, const ProgramRequest& request) {
  auto other = record_by_ncu(request);
  if (!other) {
    recording.notes.push_back("Nsight Compute has no counters either: " + other.error().message);
    return recording;
  }
  other->timeline = recording.timeline;
  other->notes.insert(other->notes.begin(), recording.notes.begin(), recording.notes.end());
  return *std::move(other);
}

}  // namespace

Result<Recording> record_program(const ProgramRequest& request) {
  if (request.command.empty()) return fail(ErrorCode::kInvalidInput, "no program was named");
  if (request.via == Via::kNcu) return record_by_ncu(request);
  auto injected = record_by_injection(request);
  const bool alone = request.via == Via::kInject || build::find_inspection_tools().ncu.empty();
  if (injected && (injected->counted || alone)) return std::move(injected->recording);
  if (injected) return counted_elsewhere(std::move(injected->recording), request);
  // A program that fails by itself, or is not there, fails under any profiler.
  if (alone || injected.error().code != ErrorCode::kUnavailable) {
    return tl::unexpected<Error>(std::move(injected).error());
  }
  auto other = record_by_ncu(request);
  if (!other) return tl::unexpected<Error>(std::move(injected).error());
  other->notes.insert(other->notes.begin(), injected.error().message);
  return other;
}

}  // namespace kp::profile
