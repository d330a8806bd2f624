// SPDX-License-Identifier: Apache-2.0
// The clock that a candidate runs at and, where it is asked for, the energy that it takes. Listed
// in catalog.cc.
#pragma once
#include "profile/source.h"

namespace kp::profile {

/// Energy of one run of a plan with one launch.
inline constexpr MetricKey kEnergy{"kp__energy_per_run", "J"};

/// Serves real GPUs. Full effort adds the SM clock where no counter told it. With
/// KERNELPRO_ENERGY=1 in the environment it also repeats runs of one launch for two seconds, since
/// the GPU's energy counter moves in steps of about 100 ms, and adds joules for one run, marked
/// measured.
std::unique_ptr<Source> nvml_source();

}  // namespace kp::profile
