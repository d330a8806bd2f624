// SPDX-License-Identifier: Apache-2.0
// What the virtual GPU counted and modelled while it timed. Listed in catalog.cc.
#pragma once
#include "profile/source.h"

namespace kp::profile {

std::unique_ptr<Source> vgpu_source();

}  // namespace kp::profile
