// SPDX-License-Identifier: Apache-2.0
// What the compiler says of a kernel and what follows by occupancy arithmetic; needs no GPU. Listed
// in catalog.cc.
#pragma once
#include "profile/source.h"

namespace kp::profile {

std::unique_ptr<Source> ptxas_source();

}  // namespace kp::profile
