// SPDX-License-Identifier: Apache-2.0
// What the counters of a real GPU say of the launches, read by repeating them under CUPTI. Listed
// in catalog.cc.
#pragma once
#include "profile/source.h"

namespace kp::profile {

std::unique_ptr<Source> cupti_source();

}  // namespace kp::profile
