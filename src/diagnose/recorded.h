// SPDX-License-Identifier: Apache-2.0
// Diagnosis of kernels that were recorded outside of any task: nothing is known of the work they
// have to do, so measurement alone speaks.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "diagnose/diagnose.h"
#include "profile/recording.h"

namespace kp::diagnose {

/// What was found about one kernel. Gains are of the kernel alone; `share` says what that is worth
/// to the whole.
struct KernelDiagnosis {
  std::string name;
  std::int64_t launches = 1;
  std::optional<double> total_ns, share;  // of all launches; absent: not recorded
  bool classified = true;                 // false: the diagnosis' boundness is not known
  Diagnosis diagnosis;
};

/// What was found about a program, kernels with the largest share of time first.
struct ProgramDiagnosis {
  std::string device;  // as recorded; may be empty
  std::string source;
  std::vector<KernelDiagnosis> kernels;
  std::vector<std::string> notes;
};

/// Whose limits a recording is held against.
struct ChosenSpec {
  DeviceSpec spec;
  std::string note;  // empty when it is the recorded device's own
};
/// The spec of the recorded product, else one of its architecture, else the nearest.
Result<ChosenSpec> spec_for(const profile::Recording& recording);
/// The same among `specs`, of which there is one at least.
ChosenSpec choose_spec(const profile::Recording& recording, const std::vector<DeviceSpec>& specs);

/// A kernel at its roof gets one finding. What concerns the timeline stands with the first kernel.
ProgramDiagnosis diagnose(const profile::Recording& recording, const DeviceSpec& device);
/// The same against the spec that spec_for chooses; a note says when that is another device's.
Result<ProgramDiagnosis> diagnose(profile::Recording recording);

/// The diagnosis of a task's run, kernel by kernel; gains stay those of the whole run. Launches of
/// one kernel are taken together; `floor` and `device` are those of the diagnosis.
ProgramDiagnosis by_kernel(const Diagnosis& diagnosis, const Profile& profile, const Floor& floor,
                           const DeviceSpec& device);
/// The same with the floor of the task's workload that was profiled.
Result<ProgramDiagnosis> by_kernel(const Diagnosis& diagnosis, const Profile& profile,
                                   const Task& task, const DeviceSpec& device);

}  // namespace kp::diagnose
