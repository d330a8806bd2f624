// SPDX-License-Identifier: Apache-2.0
// Rules that every declaration keeps, whether it stands in a plan or in definition.json.
#pragma once
#include "model/plan.h"

namespace kp::task {

/// Every name of `expr` is in `known`; otherwise an error at `spot` with the nearest one.
Result<void> check_names(const Expr& expr, const std::vector<std::string>& known,
                         const SourceSpot& spot);

/// Shapes and work name only axes; there is something to compute.
Result<void> check_declaration(const Declaration& declaration, const SourceSpot& spot);

/// Every tensor and the work have a size under the workload; errors name both.
Result<void> check_sizes(const Declaration& declaration, const Workload& workload);

/// All tensors together, in bytes.
Result<double> total_bytes(const Declaration& declaration, const Bindings& axes);

/// The loosest class among the floating element types; f32 when there is none.
Precision default_precision(const Declaration& declaration);

}  // namespace kp::task
