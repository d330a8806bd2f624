// SPDX-License-Identifier: Apache-2.0
// From a profile to ranked findings: gate, tools, bound, rank.
#pragma once
#include <map>
#include <string>

#include "diagnose/tool.h"
#include "model/evaluation.h"
#include "model/task.h"

namespace kp::diagnose {

/// Achieved over predicted logarithmic gain of each tool so far, in [0, 1]; tools without history
/// take 0.5.
using TrackRecord = std::map<std::string, double, std::less<>>;

/// `workload` is the one the profile belongs to. Findings of kernels at their roof are replaced by
/// the single sentence that says so.
Result<Diagnosis> diagnose(const Task& task, const Workload& workload, const Profile& profile,
                           const DeviceSpec& device, const TrackRecord& record = {});
/// The same for work that is known as a floor alone; an empty floor stands for programs that state
/// none, and then measurement alone speaks.
Diagnosis diagnose(const Floor& floor, const Profile& profile, const DeviceSpec& device,
                   const TrackRecord& record = {});

/// The classification alone: theory (intensity against the ridge) first, measurement second.
struct Gate {
  Boundness boundness = Boundness::kMixed;
  std::string why;
  bool at_roof = false;
  double headroom = 1;
};
Gate classify(const Floor& floor, const Profile& profile, const DeviceSpec& device);

/// docs/tools.md and `kernelpro tools`, from the tools' own descriptions.
std::string describe_tools_markdown();

}  // namespace kp::diagnose
