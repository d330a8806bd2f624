// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace kp::propose {

/// `text` with each {{name}} replaced. Names without a value stay as they are; what is put in is
/// not looked at again, so that no value can pull in another.
std::string fill_template(std::string_view text,
                          const std::map<std::string, std::string, std::less<>>& values);

}  // namespace kp::propose
