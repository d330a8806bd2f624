// SPDX-License-Identifier: Apache-2.0
// Tools that users write: a Lua file with the parts of a built-in one (docs/lua-tools.md).
#pragma once
#include <span>

#include "base/file.h"
#include "diagnose/tool.h"

namespace kp::diagnose {

/// The tool that `file` describes. kInvalidInput says what is wrong with it.
Result<std::unique_ptr<Tool>> read_lua_tool(const Path& file);

struct UserTool {
  Path origin;
  std::unique_ptr<Tool> tool;
};
struct UserTools {
  std::vector<UserTool> tools;
  std::vector<Error> faults;  // one for each file that is no tool, or whose name is taken
};
/// All files *.lua of `folders`, in this order and by name; a folder that is not there has none.
UserTools read_user_tools(std::span<const Path> folders);

/// ~/.config/kernelpro/tools and each folder of $KERNELPRO_TOOLS (separated by colons).
std::vector<Path> user_tool_folders();

/// What diagnose() asks after the built-in tools, for the rest of the process. Call it before the
/// first diagnosis.
void use_tools(std::vector<UserTool> tools);
const std::vector<UserTool>& used_tools();

}  // namespace kp::diagnose
