// SPDX-License-Identifier: Apache-2.0
// What a CUDA type name says about the elements behind it. Used to check kernel arguments.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/dtype.h"

namespace kp::build {

struct ElementType {
  DType element = DType::kF32;
  int lanes = 1;
};

/// `words`: a type without qualifiers, one token each: {"unsigned", "long", "long"}, {"float4"},
/// {"std", ":", ":", "int32_t"}. Absent: not one we know.
std::optional<ElementType> element_type(const std::vector<std::string_view>& words);

/// Whether a pointer to `pointee` may be given a tensor of `tensor` elements: the same element (any
/// number of lanes), the unsigned integer that stores a 16- or 8-bit float, char or unsigned char
/// for bool, or a vector of 32- or 64-bit integers, which moves any bytes.
bool may_view(const ElementType& pointee, DType tensor);

/// "float, float2, float4": how a pointer to such a tensor may be written, for hints.
std::string spellings_of(DType tensor);

}  // namespace kp::build
