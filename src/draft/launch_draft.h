// SPDX-License-Identifier: Apache-2.0
// One launch of the draft with all that was found about it; joins host, device text and kernel.
#pragma once
#include <string>
#include <vector>

#include "build/signature.h"
#include "draft/device_text.h"
#include "draft/draft.h"
#include "draft/host_program.h"
#include "draft/kernel_uses.h"

namespace kp::draft {

/// A parameter with the argument that the host gives it.
struct BoundParameter {
  build::KernelParameter parameter;
  std::string host_pointer;          // the host's variable; empty when unknown
  PointerUse use;                    // pointers; extents in terms of axes
  std::optional<Polynomial> extent;  // integers: what is passed
  std::optional<double> number;      // floating: what is passed
};

struct LaunchDraft {
  Instance instance;
  Dims grid, block;
  Polynomial shared;
  std::vector<BoundParameter> parameters;
  int line = 0;  // of the launch in the file; 0: none was found
};

/// Every launch of the wanted kernels, each kernel once; a kernel that is never launched gets one
/// thread for each element. Adds what it had to assume to `questions`.
Result<std::vector<LaunchDraft>> launches_of(const Request& request, const SourceTree& tree,
                                             const HostProgram& host,
                                             std::vector<Question>& questions);

/// Fills in parameters, once the device text is known.
Result<void> bind_parameters(const SourceTree& tree, const HostProgram& host,
                             const std::string& device_source, const Request& request,
                             std::vector<LaunchDraft>& launches);

}  // namespace kp::draft
