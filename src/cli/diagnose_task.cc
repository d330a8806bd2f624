// SPDX-License-Identifier: Apache-2.0
#include "cli/diagnose.h"

namespace kp::cli {

Result<Diagnosed> diagnose_task(const DiagnoseOptions& options) {
  KP_TRY(auto shop, open_workshop(options.candidate));
  KP_TRY(const auto judged, judge_source(shop, options.candidate, Depth::kQuick));
  const Measured* measured = judged.evaluation.measured();
  if (!judged.diagnosis || !measured) return Diagnosed{{}, {}, judged.evaluation};
  KP_TRY(auto program, diagnose::by_kernel(*judged.diagnosis, measured->profile, shop.task(),
                                           shop.device->describe().spec));
  return Diagnosed{std::move(program), {}, {}};
}

}  // namespace kp::cli
