// SPDX-License-Identifier: Apache-2.0
// What a Lua tool sees of a kernel, and what it may answer.
#pragma once
#include <set>
#include <string>

#include "diagnose/tool.h"

struct lua_State;

namespace kp::diagnose {

/// What one call of a Lua tool is about; it must outlive the call.
struct LuaSight {
  const Evidence& evidence;
  std::set<std::string> used;  // metrics that the tool read
};
/// Pushes the table `e`.
void push_evidence(lua_State* lua, LuaSight& sight);
/// The verdict on top of the stack. Errors name the field that is wrong.
Result<Verdict> read_verdict(lua_State* lua, const LuaSight& sight, std::string_view tool);
/// Text of a field of the table on top; empty when it is absent.
Result<std::string> text_field(lua_State* lua, const char* key);

}  // namespace kp::diagnose
