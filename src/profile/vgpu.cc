// SPDX-License-Identifier: Apache-2.0
#include "profile/vgpu.h"

#include <algorithm>

namespace kp::profile {
namespace {

class VgpuSource : public Source {
 public:
  std::string_view name() const override { return "vgpu"; }
  bool serves(const device::Description& device) const override {
    return device.timing == Grade::kModelled;
  }
  Result<void> collect(const ProfileRequest& request, Profile& profile) const override {
    for (KernelProfile& kernel : profile.kernels) {
      const auto& launches = request.timing.launches;
      const auto report = std::find_if(launches.begin(), launches.end(), [&](const auto& launch) {
        return launch.step == kernel.launch;
      });
      if (report == launches.end()) continue;
      kernel.metrics.merge(report->metrics);
      if (kernel.lines.empty()) kernel.lines = report->lines;
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<Source> vgpu_source() { return std::make_unique<VgpuSource>(); }

}  // namespace kp::profile
