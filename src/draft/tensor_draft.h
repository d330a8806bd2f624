// SPDX-License-Identifier: Apache-2.0
// The arrays of the draft: which pointers are the same memory, who fills it, how large it is. Used
// by draft only.
#pragma once
#include <string>
#include <vector>

#include "draft/launch_draft.h"

namespace kp::draft {

struct TensorDraft {
  std::string name;
  std::string key;  // the host's variable, or kernel and parameter
  DType element = DType::kF32;
  enum class Role { kInput, kInOut, kOutput, kBuffer } role = Role::kInput;
  Polynomial elements;
  bool assumed_size = false;
  bool cleared = false;  // the file sets it to zero before the launches
  std::string indexes;   // name of the tensor whose subscripts its values are; or empty
};

struct TensorSet {
  std::vector<TensorDraft> tensors;  // in order of first use
  /// The tensor behind a pointer parameter.
  const TensorDraft& of(const LaunchDraft& launch, const BoundParameter& bound) const;
};

TensorSet tensors_of(const std::vector<LaunchDraft>& launches, const HostProgram& host,
                     std::vector<Question>& questions);

}  // namespace kp::draft
