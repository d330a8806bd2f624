// SPDX-License-Identifier: Apache-2.0
// The kernels of a source file and their parameters, as written, joined with the sizes in the PTX.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/dtype.h"
#include "model/task.h"
#include "ptx/module.h"

namespace kp::build {

struct KernelParameter {
  std::string name;  // as written; empty when unnamed
  std::string type;  // as written, without the name: "const float * __restrict__"
  bool pointer = false;
  bool constant = false;         // pointer to const
  std::optional<DType> element;  // of the pointee or the value; absent: not one we know
  int lanes = 1;                 // elements a pointee packs: float4 -> 4, __half2 -> 2
  std::uint32_t bytes = 0;       // from the PTX
  std::uint32_t offset = 0;      // in the parameter block
};

struct KernelSignature {
  std::string kernel;
  std::vector<KernelParameter> parameters;
  SourceSpot spot;
};

/// The `__global__` functions of `source` in order, as written; sizes and offsets are 0.
std::vector<KernelSignature> declared_signatures(std::string_view source, const std::string& file);

/// Reads the `extern "C" __global__` functions of `source` and joins them with `module` by name.
std::vector<KernelSignature> read_signatures(std::string_view source, const std::string& file,
                                             const ptx::Module& module);

/// Checks every launch of the plan against the signatures: kernel exists, argument count, pointer
/// element types, read-only tensors given to const pointers, scalar kinds and ranges. The error is
/// at the argument.
Result<void> check_arguments(const Task& task, const Candidate& candidate,
                             const std::vector<KernelSignature>& signatures);

}  // namespace kp::build
