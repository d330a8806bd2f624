// SPDX-License-Identifier: Apache-2.0
// The device part of a CUDA file as a candidate may hold it: host functions, host globals and host
// headers are left out, kernels get C linkage, and a template kernel gets a kernel that
// instantiates it. Used by draft only.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "build/source_tree.h"

namespace kp::draft {

/// A kernel to keep. `types` are its template arguments, empty for a plain kernel.
struct Instance {
  std::string kernel;
  std::vector<std::string> types;
  bool operator==(const Instance&) const = default;

  /// The name that the plan launches: "scale", "scale_float_4".
  std::string name() const;
};

struct DeviceText {
  std::string source;
  std::vector<std::string> dropped_headers;  // that were neither CUDA's nor the standard library's
};

/// The names of a kernel's template parameters; empty for a plain kernel.
std::vector<std::string> template_parameters(const build::SourceTree& tree,
                                             const build::SyntaxNode& kernel);
/// The name in the declarator of a kernel.
std::string kernel_name(const build::SyntaxNode& kernel);

DeviceText device_text(const build::SourceTree& tree, const std::vector<Instance>& instances);

}  // namespace kp::draft
