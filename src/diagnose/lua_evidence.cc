// SPDX-License-Identifier: Apache-2.0
#include "diagnose/lua_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lua5.4/lua.hpp>

#include "diagnose/bound.h"
#include "diagnose/stalls.h"

namespace kp::diagnose {
namespace {

constexpr double kMostCap = 32;                    // speed-up that a tool may promise
constexpr int kMostActions = 8;                    // prescriptions of one finding
constexpr const char* kSight = "kernelpro.sight";  // in the registry
constexpr const char* kVerdict = "verdict";        // what marks a table as an answer

LuaSight& sight_of(lua_State* lua) {
  lua_getfield(lua, LUA_REGISTRYINDEX, kSight);
  auto* sight = static_cast<LuaSight*>(lua_touserdata(lua, -1));
  lua_pop(lua, 1);
  return *sight;
}

void set_number(lua_State* lua, const char* key, std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return;
  lua_pushnumber(lua, *value);
  lua_setfield(lua, -2, key);
}
void set_text(lua_State* lua, const char* key, std::string_view text) {
  lua_pushlstring(lua, text.data(), text.size());
  lua_setfield(lua, -2, key);
}

/// e:get("metric") -> number or nil
int get_metric(lua_State* lua) {
  std::size_t length = 0;
  const char* name = luaL_checklstring(lua, 2, &length);
  LuaSight& sight = sight_of(lua);
  const auto& metrics = sight.evidence.kernel.metrics.all();
  const auto found = metrics.find(std::string_view(name, length));
  if (found == metrics.end()) {
    lua_pushnil(lua);
    return 1;
  }
  sight.used.insert(found->first);
  lua_pushnumber(lua, found->second.value);
  return 1;
}

double factor(lua_State* lua, const char* key) {
  lua_getfield(lua, 2, key);
  const double value = lua_isnil(lua, -1) ? 1 : luaL_checknumber(lua, -1);
  lua_pop(lua, 1);
  if (!(value > 0 && value <= 1)) luaL_error(lua, "%s must be in (0, 1]", key);
  return value;
}

/// e:share_won{ l1 = 0.5, ... } -> share of the time, or nil where throughputs are unknown
int won(lua_State* lua) {
  luaL_checktype(lua, 2, LUA_TTABLE);
  const Relief relief{factor(lua, "dram"),  factor(lua, "l2"),   factor(lua, "l1"),
                      factor(lua, "issue"), factor(lua, "pipe"), factor(lua, "latency")};
  const Evidence& e = sight_of(lua).evidence;
  const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
  if (times) {
    lua_pushnumber(lua, share_won(*times, relief));
  } else {
    lua_pushnil(lua);
  }
  return 1;
}

/// e:finding{ ... } -> the same table, marked as an answer
int finding(lua_State* lua) {
  luaL_checktype(lua, 2, LUA_TTABLE);
  lua_settop(lua, 2);
  set_text(lua, kVerdict, "finding");
  return 1;
}
/// e:not_applicable("why")
int not_applicable(lua_State* lua) {
  luaL_checkstring(lua, 2);
  lua_createtable(lua, 0, 2);
  lua_pushvalue(lua, 2);
  lua_setfield(lua, -2, "why");
  set_text(lua, kVerdict, "not_applicable");
  return 1;
}

void push_times(lua_State* lua, const Evidence& e) {
  const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
  if (!times) return;
  lua_newtable(lua);
  const std::array keys{"dram", "l2", "l1", "issue", "pipe", "latency"};
  for (std::size_t i = 0; i < kResources; ++i) {
    set_number(lua, keys[i], times->alone[i] / times->total);
  }
  set_text(lua, "longest", keys[static_cast<std::size_t>(times->longest())]);
  lua_setfield(lua, -2, "times");
}

void push_stalls(lua_State* lua, const Evidence& e) {
  const std::optional<Stalls> stalls = stalls_of(e.kernel);
  if (!stalls) return;
  lua_newtable(lua);
  set_number(lua, "long_scoreboard", stalls->of(Stall::kLongScoreboard));
  set_number(lua, "short_scoreboard", stalls->of(Stall::kShortScoreboard));
  set_number(lua, "mio_throttle", stalls->of(Stall::kMioThrottle));
  set_number(lua, "lg_throttle", stalls->of(Stall::kLgThrottle));
  set_number(lua, "barrier", stalls->of(Stall::kBarrier));
  set_number(lua, "membar", stalls->of(Stall::kMembar));
  set_number(lua, "math_pipe", stalls->of(Stall::kMathPipe));
  set_number(lua, "wait", stalls->of(Stall::kFixedLatency));
  set_number(lua, "no_instruction", stalls->of(Stall::kNoInstruction));
  set_number(lua, "drain", stalls->of(Stall::kDrain));
  lua_setfield(lua, -2, "stalls");
}

void push_device(lua_State* lua, const DeviceSpec& device) {
  lua_newtable(lua);
  set_text(lua, "name", device.name);
  set_text(lua, "architecture", device.architecture);
  set_number(lua, "sm_count", device.sm_count);
  set_number(lua, "warps_per_sm", device.warps_per_sm);
  set_number(lua, "clock_hz", device.clock_hz);
  set_number(lua, "dram_sustained", device.dram_sustained);
  set_number(lua, "l2_bandwidth", device.l2_bandwidth);
  set_number(lua, "l2_bytes", static_cast<double>(device.l2_bytes));
  set_number(lua, "scalar_flops_f32", device.scalar_flops_f32);
  lua_setfield(lua, -2, "device");
}

void push_task(lua_State* lua, const Floor& floor) {
  lua_newtable(lua);
  if (floor.bytes > 0) set_number(lua, "bytes", floor.bytes);
  set_number(lua, "flops", floor.flops);
  set_number(lua, "written", floor.written);
  set_number(lua, "intensity", floor.intensity());
  set_text(lua, "precision", name_of(floor.precision));
  lua_pushboolean(lua, floor.contraction);
  lua_setfield(lua, -2, "contraction");
  lua_setfield(lua, -2, "task");
}

Result<double> number_field(lua_State* lua, const char* key, double otherwise) {
  lua_getfield(lua, -1, key);
  const bool absent = lua_isnil(lua, -1), number = lua_type(lua, -1) == LUA_TNUMBER;
  const double value = number ? lua_tonumber(lua, -1) : otherwise;
  lua_pop(lua, 1);
  if ((!absent && !number) || !std::isfinite(value)) {
    return fail(ErrorCode::kInvalidInput, fmt::format("`{}` is no number", key));
  }
  return value;
}

/// The prescription in the table on top.
Result<Prescription> read_action(lua_State* lua) {
  if (!lua_istable(lua, -1)) return fail(ErrorCode::kInvalidInput, "an action is no table");
  Prescription prescription;
  KP_TRY(prescription.action, text_field(lua, "action"));
  KP_TRY(prescription.text, text_field(lua, "text"));
  KP_TRY(prescription.code, text_field(lua, "code"));
  if (prescription.text.empty()) return fail(ErrorCode::kInvalidInput, "an action has no `text`");
  return prescription;
}

Result<std::vector<Prescription>> read_actions(lua_State* lua) {
  std::vector<Prescription> list;
  lua_getfield(lua, -1, "actions");
  if (!lua_istable(lua, -1)) {
    lua_pop(lua, 1);
    return fail(ErrorCode::kInvalidInput, "`actions` is no list");
  }
  for (int i = 1; i <= kMostActions; ++i) {
    if (lua_geti(lua, -1, i) == LUA_TNIL) {
      lua_pop(lua, 1);
      break;
    }
    Result<Prescription> action = read_action(lua);
    lua_pop(lua, 1);
    if (!action) return tl::unexpected<Error>(action.error());
    list.push_back(*std::move(action));
  }
  lua_pop(lua, 1);
  if (list.empty()) return fail(ErrorCode::kInvalidInput, "`actions` is empty");
  return list;
}

Grade grade_of(const LuaSight& sight) {
  Grade grade = grade_with_times(sight.evidence.kernel);
  for (const std::string& name : sight.used) {
    grade = std::max(grade, sight.evidence.kernel.metrics.find(name)->grade);
  }
  return grade;
}

Result<Verdict> read_finding(lua_State* lua, const LuaSight& sight, std::string_view tool) {
  KP_TRY(const double share, number_field(lua, "share", -1));
  if (share < 0 || share > 1) {
    return fail(ErrorCode::kInvalidInput, "`share` must be a number in [0, 1]");
  }
  KP_TRY(const double cap, number_field(lua, "cap", kMostCap));
  KP_TRY(std::string saw, text_field(lua, "saw"));
  KP_TRY(std::string costs, text_field(lua, "costs"));
  if (saw.empty()) return fail(ErrorCode::kInvalidInput, "a finding has no `saw`");
  KP_TRY(std::vector<Prescription> actions, read_actions(lua));
  std::optional<Finding> found = weigh(sight.evidence, tool, share, std::clamp(cap, 1.0, kMostCap));
  if (!found) return Silent{};
  found->saw = std::move(saw);
  found->costs = std::move(costs);
  found->prescriptions = std::move(actions);
  found->grade = grade_of(sight);
  return Verdict{*std::move(found)};
}

}  // namespace

void push_evidence(lua_State* lua, LuaSight& sight) {
  lua_pushlightuserdata(lua, &sight);
  lua_setfield(lua, LUA_REGISTRYINDEX, kSight);
  const Evidence& e = sight.evidence;
  lua_newtable(lua);
  set_text(lua, "kernel", e.kernel.kernel);
  set_text(lua, "boundness", name_of(e.boundness));
  set_number(lua, "headroom", e.headroom);
  set_number(lua, "share", e.kernel.share);
  push_device(lua, e.device);
  push_task(lua, e.floor);
  push_times(lua, e);
  push_stalls(lua, e);
  const luaL_Reg methods[]{{"get", get_metric},
                           {"share_won", won},
                           {"finding", finding},
                           {"not_applicable", not_applicable},
                           {nullptr, nullptr}};
  luaL_setfuncs(lua, methods, 0);
}

Result<std::string> text_field(lua_State* lua, const char* key) {
  lua_getfield(lua, -1, key);
  const int type = lua_type(lua, -1);
  std::size_t length = 0;
  const char* text = type == LUA_TSTRING ? lua_tolstring(lua, -1, &length) : nullptr;
  std::string out = text ? std::string(text, length) : std::string();
  lua_pop(lua, 1);
  if (type != LUA_TSTRING && type != LUA_TNIL) {
    return fail(ErrorCode::kInvalidInput, fmt::format("`{}` is no text", key));
  }
  return out;
}

Result<Verdict> read_verdict(lua_State* lua, const LuaSight& sight, std::string_view tool) {
  if (lua_isnil(lua, -1)) return Verdict{Silent{}};
  if (!lua_istable(lua, -1)) {
    return fail(ErrorCode::kInvalidInput,
                "examine returns neither nil nor e:finding{...} nor e:not_applicable(...)");
  }
  KP_TRY(const std::string kind, text_field(lua, kVerdict));
  if (kind == "finding") return read_finding(lua, sight, tool);
  if (kind != "not_applicable") {
    return fail(ErrorCode::kInvalidInput, "examine returns a table that e:finding did not make");
  }
  KP_TRY(std::string why, text_field(lua, "why"));
  return Verdict{NotApplicable{std::move(why)}};
}

}  // namespace kp::diagnose
