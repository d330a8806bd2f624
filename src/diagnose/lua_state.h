// SPDX-License-Identifier: Apache-2.0
// A Lua interpreter for code that nobody has read: no files, no processes, no other code to load,
// and limits on memory and instructions. Functions of Lua's library that could run long inside of C
// are left out, so that the limits hold.
#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"

struct lua_State;

namespace kp::diagnose {

class LuaState {
 public:
  LuaState();
  ~LuaState();
  LuaState(const LuaState&) = delete;
  LuaState& operator=(const LuaState&) = delete;

  /// Runs `source`, which has to return one table, and leaves that on the stack. `name` is how
  /// messages call it.
  Result<void> run(const std::string& source, const std::string& name);
  /// Calls the function below its `arguments` on the stack and leaves one result.
  Result<void> call(int arguments);

  lua_State* get() const { return state_; }

 private:
  struct Budget {
    std::size_t bytes = 0;
    bool limited = false;  // while foreign code runs: what we do must not fail
  };
  static void* allocate(void* budget, void* block, std::size_t old_size, std::size_t size);
  Budget budget_;
  lua_State* state_ = nullptr;
};

}  // namespace kp::diagnose
