// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/lockdown.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>

namespace kp::device::cuda {
namespace {

// The driver sizes shared memory of its own like a file.
constexpr rlim_t kFileBytes = 1ull << 30;
constexpr rlim_t kDescriptors = 4096;

bool limit(__rlimit_resource resource, rlim_t value) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return false;
  const rlim_t allowed = std::min(value, now.rlim_max);
  const rlimit wanted{allowed, allowed};
  return ::setrlimit(resource, &wanted) == 0;
}

}  // namespace

bool limit_process() {
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
         limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, kFileBytes) &&
         limit(RLIMIT_NOFILE, kDescriptors);
}

bool hide_memory() { return ::prctl(PR_SET_DUMPABLE, 0) == 0; }

}  // namespace kp::device::cuda
