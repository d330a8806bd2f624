// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "profile/source.h"

namespace kp::profile {
namespace {

/// One entry for each launch, with its share of the time of all launches.
std::vector<KernelProfile> empty_profiles(const ProfileRequest& request) {
  std::vector<KernelProfile> kernels;
  for (std::size_t step = 0; step < request.steps.size(); ++step) {
    const auto* launch = std::get_if<device::BoundLaunch>(&request.steps[step]);
    if (launch == nullptr) continue;
    KernelProfile& kernel = kernels.emplace_back();
    kernel.kernel = launch->kernel;
    kernel.launch = static_cast<int>(step);
    kernel.share = 0;
  }
  double total = 0;
  for (const device::LaunchReport& report : request.timing.launches) total += report.nanoseconds;
  for (KernelProfile& kernel : kernels) {
    if (total <= 0) kernel.share = 1.0 / static_cast<double>(kernels.size());
    for (const device::LaunchReport& report : request.timing.launches) {
      if (report.step == kernel.launch && total > 0) kernel.share = report.nanoseconds / total;
    }
  }
  return kernels;
}

/// Grows with everything that a source adds.
std::size_t amount_known(const Profile& profile) {
  std::size_t amount = profile.timeline ? 1 : 0;
  for (const KernelProfile& kernel : profile.kernels)
    amount += kernel.metrics.all().size() + kernel.lines.size();
  return amount;
}

}  // namespace

Result<Profile> collect(const ProfileRequest& request) {
  Profile profile{.device = request.device.name, .workload = request.workload};
  profile.kernels = empty_profiles(request);
  std::vector<std::string> knew;
  for (const std::unique_ptr<Source>& source : sources()) {
    if (!source->serves(request.device)) continue;
    const std::size_t before = amount_known(profile);
    KP_TRY_VOID(source->collect(request, profile).within(source->name()));
    if (amount_known(profile) > before) knew.emplace_back(source->name());
  }
  profile.source = join(knew, ", ");
  return profile;
}

}  // namespace kp::profile
