// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <future>
#include <iterator>

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

/// What one source knows, told apart from the others.
struct Share {
  const Source* source = nullptr;
  Profile profile;
  Result<void> done;
};

Share ask(const Source& source, const ProfileRequest& request, Profile profile) {
  Share share{&source, std::move(profile), {}};
  share.done = source.collect(request, share.profile).within(source.name());
  return share;
}

/// Adds what `share` knows and `all` does not; whether that is anything.
bool merge(Share share, Profile& all) {
  const bool timeline = share.profile.timeline && !all.timeline;
  if (timeline) all.timeline = share.profile.timeline;
  bool more = timeline || !share.profile.rules.empty();
  std::ranges::move(share.profile.rules, std::back_inserter(all.rules));
  for (std::size_t i = 0; i < all.kernels.size(); ++i) {
    KernelProfile &known = all.kernels[i], &added = share.profile.kernels[i];
    const std::size_t before = known.metrics.all().size();
    known.metrics.merge(added.metrics);
    more = more || known.metrics.all().size() > before || !added.lines.empty();
    if (known.lines.empty()) known.lines = std::move(added.lines);
  }
  std::ranges::move(share.profile.notes, std::back_inserter(all.notes));
  return more;
}

}  // namespace

Result<Profile> collect(const ProfileRequest& request) {
  Profile profile{.device = request.device.name, .workload = request.workload};
  profile.kernels = empty_profiles(request);
  std::vector<std::future<Share>> shares;
  for (const std::unique_ptr<Source>& source : sources()) {
    if (!source->serves(request.device)) continue;
    // Deferred ones are asked in turn below, while the others run beside them.
    const auto when = source->asks_device() ? std::launch::deferred : std::launch::async;
    shares.push_back(std::async(when, ask, std::cref(*source), std::cref(request), profile));
  }
  std::vector<std::string> knew;
  for (std::future<Share>& told : shares) {
    Share share = told.get();
    KP_TRY_VOID(share.done);
    const std::string name(share.source->name());
    if (merge(std::move(share), profile)) knew.push_back(name);
  }
  profile.source = join(knew, ", ");
  return profile;
}

}  // namespace kp::profile
