// SPDX-License-Identifier: Apache-2.0
// TMA descriptors of a plan, for the arrays they describe. Used by whoever binds steps (bind.h).
#pragma once
#include "device/bind.h"
#include "model/plan.h"

namespace kp::device {

/// Fills `binding.maps` from the plan: shapes by the task's declaration or the plan's buffers, box
/// extents by `binding.values`. A map whose array has no address in `binding` is left out. Errors
/// carry the map's spot: a rank above 5, rows that are no multiple of 16 bytes.
Result<void> bind_tensor_maps(const Plan& plan, const Declaration& declaration, Binding& binding);

}  // namespace kp::device
