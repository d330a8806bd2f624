// SPDX-License-Identifier: Apache-2.0
#include "diagnose/lua_state.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <lua5.4/lua.hpp>
#include <string_view>

#include "base/check.h"

namespace kp::diagnose {
namespace {

constexpr std::size_t kMostBytes = 16u << 20;  // of one interpreter
constexpr int kMostInstructions = 1'000'000;   // of one call; about 10 ms

// What is not in these lists is taken away. Missing on purpose, beside all that reaches outside:
// pattern matching, string.rep and table.move run long inside of C; metatables lead there; pcall
// would catch the limits; random numbers would make a tool no function of what it sees.
constexpr std::array<std::string_view, 16> kGlobals{
    "assert", "error",  "ipairs", "math",   "next",  "pairs",    "rawequal", "rawget",
    "rawlen", "rawset", "select", "string", "table", "tonumber", "tostring", "type"};
constexpr std::array<std::string_view, 7> kString{"byte",  "char", "format", "len",
                                                  "lower", "sub",  "upper"};
constexpr std::array<std::string_view, 5> kTable{"concat", "insert", "remove", "sort", "unpack"};
constexpr std::array<std::string_view, 16> kMath{
    "abs", "ceil", "exp", "floor", "fmod",      "huge", "log",        "max",
    "min", "modf", "pi",  "sqrt",  "tointeger", "type", "maxinteger", "mininteger"};

/// Takes every key away from the table on top that is not in `kept`; pops the table.
template <std::size_t N>
void keep_only(lua_State* lua, const std::array<std::string_view, N>& kept) {
  lua_pushnil(lua);
  while (lua_next(lua, -2) != 0) {
    lua_pop(lua, 1);
    std::size_t length = 0;
    const char* key = lua_type(lua, -1) == LUA_TSTRING ? lua_tolstring(lua, -1, &length) : "";
    bool keep = false;
    for (const std::string_view name : kept) keep = keep || name == std::string_view(key, length);
    if (keep) continue;
    lua_pushvalue(lua, -1);
    lua_pushnil(lua);
    lua_settable(lua, -4);  // clearing a field while walking is allowed
  }
  lua_pop(lua, 1);
}

template <std::size_t N>
void open_library(lua_State* lua, const char* name, lua_CFunction open,
                  const std::array<std::string_view, N>& kept) {
  luaL_requiref(lua, name, open, 1);
  keep_only(lua, kept);
}

int open_all(lua_State* lua) {
  open_library(lua, LUA_STRLIBNAME, luaopen_string, kString);
  open_library(lua, LUA_TABLIBNAME, luaopen_table, kTable);
  open_library(lua, LUA_MATHLIBNAME, luaopen_math, kMath);
  luaL_requiref(lua, LUA_GNAME, luaopen_base, 1);
  keep_only(lua, kGlobals);
  return 0;
}

void out_of_instructions(lua_State* lua, lua_Debug*) {
  luaL_error(lua, "more than %d instructions: an endless loop?", kMostInstructions);
}

Error fault(lua_State* lua) {
  const char* text = lua_tostring(lua, -1);
  std::string message = text ? text : "an error that is no text";
  lua_settop(lua, 0);
  return {ErrorCode::kInvalidInput,
          std::move(message),
          "docs/lua-tools.md says what a tool may do",
          {},
          {}};
}

}  // namespace

void* LuaState::allocate(void* budget, void* block, std::size_t old_size, std::size_t size) {
  auto& [used, limited] = *static_cast<Budget*>(budget);
  const std::size_t before = block ? old_size : 0;
  if (size == 0) {
    std::free(block);
    used -= before;
    return nullptr;
  }
  if (limited && used - before + size > kMostBytes) return nullptr;
  void* moved = std::realloc(block, size);
  if (moved) used = used - before + size;
  return moved;
}

LuaState::LuaState() : state_(lua_newstate(&LuaState::allocate, &budget_)) {
  KP_CHECK(state_ != nullptr, "Lua needs a few kilobytes");
  lua_pushcfunction(state_, open_all);
  KP_CHECK(lua_pcall(state_, 0, 0, 0) == LUA_OK, "Lua's own libraries open");
}

LuaState::~LuaState() { lua_close(state_); }

Result<void> LuaState::run(const std::string& source, const std::string& name) {
  const std::string chunk = "=" + name;
  // Text only: byte code is not checked by Lua.
  if (luaL_loadbufferx(state_, source.data(), source.size(), chunk.c_str(), "t") != LUA_OK) {
    return tl::unexpected<Error>(fault(state_));
  }
  KP_TRY_VOID(call(0));
  if (!lua_istable(state_, -1)) {
    return fail(ErrorCode::kInvalidInput, name + " returns no table",
                "end the file with `return { name = ..., examine = function(e) ... end }`");
  }
  return {};
}

Result<void> LuaState::call(int arguments) {
  lua_sethook(state_, out_of_instructions, LUA_MASKCOUNT, kMostInstructions);
  budget_.limited = true;
  const int status = lua_pcall(state_, arguments, 1, 0);
  budget_.limited = false;
  lua_sethook(state_, nullptr, 0, 0);
  if (status != LUA_OK) return tl::unexpected<Error>(fault(state_));
  return {};
}

}  // namespace kp::diagnose
