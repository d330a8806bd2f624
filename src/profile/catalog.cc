// SPDX-License-Identifier: Apache-2.0
// The only list of sources.
#include "profile/cupti.h"
#include "profile/ncu_rules.h"
#include "profile/nvml.h"
#include "profile/ptxas.h"
#include "profile/sass.h"
#include "profile/vgpu.h"

namespace kp::profile {

const std::vector<std::unique_ptr<Source>>& sources() {
  static const auto* list = [] {
    auto* made = new std::vector<std::unique_ptr<Source>>;
    made->push_back(vgpu_source());
    made->push_back(cupti_source());
    made->push_back(ncu_rules_source());
    made->push_back(nvml_source());
    made->push_back(ptxas_source());
    made->push_back(sass_source());
    return made;
  }();
  return *list;
}

}  // namespace kp::profile
