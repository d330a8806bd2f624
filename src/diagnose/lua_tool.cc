// SPDX-License-Identifier: Apache-2.0
#include "diagnose/lua_tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <lua5.4/lua.hpp>

#include "base/text.h"
#include "diagnose/lua_evidence.h"
#include "diagnose/lua_state.h"

namespace kp::diagnose {
namespace {

constexpr std::uint64_t kMostSource = 256u << 10;  // bytes of a file
constexpr int kMostNeeds = 64;
constexpr std::array kClasses{Boundness::kMemory, Boundness::kCompute, Boundness::kLatency,
                              Boundness::kMixed, Boundness::kLaunch};

/// What a file says of its tool, beside the function.
struct Description {
  std::string name, sees, costs, tries, misleads, source;
  std::vector<std::string> needs;
  std::array<bool, kClasses.size()> relevant{};
};

bool is_name(std::string_view name) {
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
}

/// The list of texts in the field `key` of the table on top; absent when there is none.
Result<std::optional<std::vector<std::string>>> list_field(lua_State* lua, const char* key) {
  std::vector<std::string> list;
  const int type = lua_getfield(lua, -1, key);
  bool texts = type == LUA_TTABLE;
  for (int i = 1; texts && i <= kMostNeeds; ++i) {
    const int item = lua_geti(lua, -1, i);
    if (item == LUA_TSTRING) list.emplace_back(lua_tostring(lua, -1));
    lua_pop(lua, 1);
    if (item == LUA_TNIL) break;
    texts = item == LUA_TSTRING;
  }
  lua_pop(lua, 1);
  if (type == LUA_TNIL) return std::nullopt;
  if (!texts) return fail(ErrorCode::kInvalidInput, fmt::format("`{}` is no list of texts", key));
  return list;
}

Result<void> read_relevant(lua_State* lua, Description& description) {
  KP_TRY(const auto classes, list_field(lua, "relevant"));
  for (std::size_t i = 0; i < kClasses.size(); ++i) {
    description.relevant[i] = !classes && kClasses[i] != Boundness::kLaunch;
  }
  for (const std::string& word : classes.value_or(std::vector<std::string>{})) {
    const auto* found = std::find_if(kClasses.begin(), kClasses.end(),
                                     [&](Boundness one) { return name_of(one) == word; });
    if (found == kClasses.end()) {
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("`relevant` names `{}`, which is no class", word),
                  "memory, compute, latency, mixed or launch");
    }
    description.relevant[static_cast<std::size_t>(found - kClasses.begin())] = true;
  }
  return {};
}

/// The description in the table on top.
Result<Description> read_description(lua_State* lua) {
  Description d;
  KP_TRY(d.name, text_field(lua, "name"));
  if (!is_name(d.name)) {
    return fail(ErrorCode::kInvalidInput, fmt::format("`name` is `{}`", d.name),
                "small letters, digits and _, as in long_rows");
  }
  KP_TRY(d.sees, text_field(lua, "sees"));
  KP_TRY(d.costs, text_field(lua, "costs"));
  KP_TRY(d.tries, text_field(lua, "tries"));
  KP_TRY(d.misleads, text_field(lua, "misleads"));
  KP_TRY(d.source, text_field(lua, "source"));
  for (const auto& [key, text] :
       {std::pair{"sees", &d.sees}, {"costs", &d.costs}, {"tries", &d.tries}}) {
    if (text->empty()) return fail(ErrorCode::kInvalidInput, fmt::format("`{}` is missing", key));
  }
  KP_TRY(auto needs, list_field(lua, "needs"));
  d.needs = std::move(needs).value_or(std::vector<std::string>{});
  KP_TRY_VOID(read_relevant(lua, d));
  const int examine = lua_getfield(lua, -1, "examine");
  lua_pop(lua, 1);
  if (examine != LUA_TFUNCTION) {
    return fail(ErrorCode::kInvalidInput, "`examine` is no function",
                "examine = function(e) ... end");
  }
  return d;
}

/// Each examination runs in an interpreter of its own, so that a tool has no memory.
class LuaTool final : public Tool {
 public:
  LuaTool(Description description, std::string text, std::string file)
      : description_(std::move(description)), text_(std::move(text)), file_(std::move(file)) {
    for (const std::string& name : description_.needs) needs_.push_back({name, ""});
  }

  About about() const override {
    return {description_.name,  description_.sees,     description_.costs,
            description_.tries, description_.misleads, description_.source};
  }
  std::span<const MetricKey> needs() const override { return needs_; }
  bool relevant(Boundness boundness) const override {
    const auto* at = std::find(kClasses.begin(), kClasses.end(), boundness);
    return description_.relevant[static_cast<std::size_t>(at - kClasses.begin())];
  }

  Verdict examine(const Evidence& evidence) const override {
    if (failed_) return Silent{};
    Result<Verdict> verdict = judge(evidence);
    if (verdict) return *std::move(verdict);
    // Said once; what fails on one kernel is not asked about the next.
    if (failed_.exchange(true)) return Silent{};
    return NotApplicable{
        fmt::format("{} failed and is skipped: {}", file_, verdict.error().message)};
  }

 private:
  Result<Verdict> judge(const Evidence& evidence) const {
    LuaState state;
    KP_TRY_VOID(state.run(text_, file_));
    LuaSight sight{evidence, {}};
    lua_getfield(state.get(), -1, "examine");
    push_evidence(state.get(), sight);
    KP_TRY_VOID(state.call(1));
    return read_verdict(state.get(), sight, description_.name);
  }

  Description description_;
  std::string text_, file_;
  std::vector<MetricKey> needs_;
  mutable std::atomic<bool> failed_{false};
};

std::vector<Path> lua_files(const Path& folder) {
  std::vector<Path> files;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".lua") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool is_taken(std::string_view name, const std::vector<UserTool>& tools) {
  return find_tool(name) || std::any_of(tools.begin(), tools.end(), [&](const UserTool& one) {
           return one.tool->about().name == name;
         });
}

std::vector<UserTool>& process_tools() {
  static std::vector<UserTool> tools;
  return tools;
}

}  // namespace

Result<std::unique_ptr<Tool>> read_lua_tool(const Path& file) {
  KP_TRY(std::string text, read_text(file, kMostSource));
  LuaState state;
  const std::string name = file.filename().string();
  KP_TRY_VOID(state.run(text, name));
  KP_TRY(Description description, read_description(state.get()));
  return std::make_unique<LuaTool>(std::move(description), std::move(text), name);
}

UserTools read_user_tools(std::span<const Path> folders) {
  UserTools found;
  for (const Path& folder : folders) {
    for (const Path& file : lua_files(folder)) {
      Result<std::unique_ptr<Tool>> tool = read_lua_tool(file);
      if (!tool) {
        found.faults.push_back(Error(tool.error()).within("tool " + file.string() + " is skipped"));
      } else if (is_taken((*tool)->about().name, found.tools)) {
        found.faults.push_back({ErrorCode::kInvalidInput,
                                fmt::format("tool {} is skipped: there is a tool `{}` already",
                                            file.string(), (*tool)->about().name),
                                "give it another name",
                                {},
                                {}});
      } else {
        found.tools.push_back({file, *std::move(tool)});
      }
    }
  }
  return found;
}

std::vector<Path> user_tool_folders() {
  std::vector<Path> folders;
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (config && *config) {
    folders.push_back(Path(config) / "kernelpro" / "tools");
  } else if (home && *home) {
    folders.push_back(Path(home) / ".config" / "kernelpro" / "tools");
  }
  const char* more = std::getenv("KERNELPRO_TOOLS");
  for (const std::string_view folder : split(more ? more : "", ':')) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

void use_tools(std::vector<UserTool> tools) { process_tools() = std::move(tools); }
const std::vector<UserTool>& used_tools() { return process_tools(); }

}  // namespace kp::diagnose
