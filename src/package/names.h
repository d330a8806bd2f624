// SPDX-License-Identifier: Apache-2.0
// Names of a plan as names of generated code, and types of elements in it.
#pragma once
#include <string>
#include <string_view>

#include "model/task.h"

namespace kp::package {

/// `name` itself, with an underscore where C++, Python or the generated code use it otherwise.
std::string identifier_of(std::string_view name);

/// A name for the operator: letters, digits and underscores of `text`.
std::string operator_name(std::string_view text);

/// kInvalidInput when two names of the task would become one.
Result<void> check_names(const Declaration& declaration);

/// `text` as part of a comment or of a literal: one line of plain characters, without quotes and
/// backslashes.
std::string plain(std::string_view text);

std::string_view cpp_type(DType type);         // "__half"
std::string_view torch_type(DType type);       // "float16"
std::string_view tensor_map_type(DType type);  // "FLOAT16" of CU_TENSOR_MAP_DATA_TYPE_FLOAT16

}  // namespace kp::package
