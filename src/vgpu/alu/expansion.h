// SPDX-License-Identifier: Apache-2.0
// How many machine instructions a PTX instruction becomes on sm_90; used by alu.cc for the time
// model.
#pragma once
#include <cstdint>
#include <string_view>

namespace kp::vgpu {

/// `form` as in the tables of forms ("div.f32"); 1 for what the table does not list.
std::uint32_t sass_expansion(std::string_view form);

}  // namespace kp::vgpu
