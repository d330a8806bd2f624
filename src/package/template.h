// SPDX-License-Identifier: Apache-2.0
// The texts of assets/ with what is particular to one operator.
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace kp::package {

/// `text` with each @KEY@ replaced; what is no key stays.
std::string filled(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace kp::package
