// SPDX-License-Identifier: Apache-2.0
// What Nsight Compute's own rules say of the launches, where the request wants them. Listed in
// catalog.cc.
#pragma once
#include "profile/source.h"

namespace kp::profile {

std::unique_ptr<Source> ncu_rules_source();

}  // namespace kp::profile
