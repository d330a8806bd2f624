// SPDX-License-Identifier: Apache-2.0
#include "diagnose/lua_tool.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "diagnose/diagnose.h"
#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

const Path kShipped = Path(KP_SOURCE_DIR) / "share" / "tools";

/// A folder of Lua files that goes with the test, and no tools in use afterwards.
class LuaTools : public testing::Test {
 protected:
  LuaTools() : folder_(Path(testing::TempDir()) / ("kp_lua_" + std::string(name_of_test()))) {
    std::filesystem::remove_all(folder_);
    EXPECT_TRUE(make_folder(folder_));
  }
  ~LuaTools() override {
    use_tools({});
    std::filesystem::remove_all(folder_);
  }
  static const char* name_of_test() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  Path write(const std::string& file, const std::string& text) {
    EXPECT_TRUE(write_file(folder_ / file, text));
    return folder_ / file;
  }
  /// A tool whose examine has this body.
  Path tool(const std::string& body, const std::string& more = "") {
    return write("mine.lua", "return { name = 'mine', sees = 'a', costs = 'b', tries = 'c', " +
                                 more + " examine = function(e) " + body + " end }");
  }
  static std::string error_of(const Path& file) {
    const auto read = read_lua_tool(file);
    return read ? "" : read.error().text();
  }
  /// What the tool with this body says about the sample.
  Verdict ask_body(const std::string& body) {
    Result<std::unique_ptr<Tool>> read = read_lua_tool(tool(body));
    EXPECT_TRUE(read) << (read ? "" : read.error().text());
    return read ? ask(**read, sample_.evidence()) : Verdict{Silent{}};
  }
  std::string why_not(const std::string& body) {
    const Verdict verdict = ask_body(body);
    const auto* no = std::get_if<NotApplicable>(&verdict);
    return no ? no->why : "";
  }

  Path folder_;
  SampleKernel sample_;
};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kFinding =
    "return e:finding { share = 0.5, saw = 's', costs = 'c', actions = {{ text = 't' }} }";

TEST_F(LuaTools, AnswersWithAFindingLikeABuiltInTool) {
  const Verdict verdict = ask_body(
      "return e:finding { share = e:share_won { dram = 0.1, l2 = 0.1 }, saw = 'read ' .. "
      "e:get('dram__bytes_read.sum'), costs = 'time', cap = 2, "
      "actions = {{ action = 'tune', text = 'do', code = 'x' }} }");
  const auto* finding = std::get_if<Finding>(&verdict);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->tool, "mine");
  EXPECT_EQ(finding->saw, "read 268000000.0");
  EXPECT_EQ(finding->prescriptions.at(0).code, "x");
  EXPECT_GT(finding->gain.high, 1.1);
  EXPECT_LE(finding->gain.high, 2);
  EXPECT_EQ(finding->grade, Grade::kModelled);
}

TEST_F(LuaTools, IsSilentOrNotApplicableAsItSays) {
  EXPECT_TRUE(std::holds_alternative<Silent>(ask_body("return nil")));
  EXPECT_EQ(why_not("return e:not_applicable('no rows')"), "no rows");
}

TEST_F(LuaTools, SeesWhatDocsPromise) {
  EXPECT_EQ(why_not("return e:not_applicable(e.boundness .. ' ' .. e.kernel .. ' ' .. "
                    "e.device.sm_count .. ' ' .. e.task.precision .. ' ' .. e.times.longest .. ' ' "
                    ".. tostring(e:get('nothing')) .. ' ' .. tostring(e.stalls))"),
            "memory sample 132.0 f32 dram nil nil");
}

TEST_F(LuaTools, IsNotAskedWithoutTheMetricsThatItNeeds) {
  auto read = read_lua_tool(tool(kFinding, "needs = {'x__y.sum'}, relevant = {'memory'},"));
  ASSERT_TRUE(read);
  const Verdict verdict = ask(**read, sample_.evidence());
  ASSERT_TRUE(std::holds_alternative<NotApplicable>(verdict));
  EXPECT_TRUE(contains(std::get<NotApplicable>(verdict).why, "x__y.sum"));
  EXPECT_FALSE((*read)->relevant(Boundness::kCompute));
}

TEST_F(LuaTools, ReportsWhatIsWrongWithAFile) {
  EXPECT_TRUE(contains(error_of(write("a.lua", "return {")), "a.lua:1"));
  EXPECT_TRUE(contains(error_of(write("b.lua", "local x = 1")), "returns no table"));
  EXPECT_TRUE(contains(error_of(write("c.lua", "return { name = 'Big Name' }")), "Big Name"));
  EXPECT_TRUE(contains(error_of(write("d.lua", "return { name = 'd' }")), "`sees` is missing"));
  EXPECT_TRUE(contains(error_of(tool("", "needs = 7,")), "`needs` is no list"));
  EXPECT_TRUE(contains(error_of(tool("", "relevant = {'fast'},")), "`fast`"));
  EXPECT_TRUE(contains(error_of(write("e.lua",
                                      "return { name = 'e', sees = 'a', costs = 'b', "
                                      "tries = 'c', examine = 4 }")),
                       "`examine` is no function"));
  EXPECT_TRUE(contains(error_of(write("f.lua", "\x1bLua")), "binary chunk"));
}

TEST_F(LuaTools, EndsLoopsAndMemoryThatNeverEnd) {
  EXPECT_TRUE(contains(error_of(write("a.lua", "while true do end")), "endless loop"));
  EXPECT_TRUE(contains(error_of(write("b.lua", "local s = 'x' while true do s = s .. s end")),
                       "not enough memory"));
  EXPECT_NE(error_of(write("c.lua", "local f f = function() return 1 + f() end f()")), "");
  EXPECT_TRUE(contains(why_not("while true do end"), "mine.lua failed and is skipped"));
  EXPECT_TRUE(contains(why_not("local t = {} for i = 1, 1e9 do t[i] = {i} end"), "failed"));
}

TEST_F(LuaTools, RefusesAnswersOfAnotherForm) {
  EXPECT_TRUE(contains(why_not("return 5"), "neither nil nor"));
  EXPECT_TRUE(contains(why_not("return {}"), "e:finding did not make"));
  EXPECT_TRUE(contains(why_not("return e:finding { saw = 's' }"), "`share`"));
  EXPECT_TRUE(contains(why_not("return e:finding { share = 0/0, saw = 's' }"), "`share`"));
  EXPECT_TRUE(contains(why_not("return e:finding { share = 0.5, saw = {} }"), "`saw` is no text"));
  EXPECT_TRUE(contains(why_not("return e:finding { share = 0.5, saw = 's' }"), "`actions`"));
  EXPECT_TRUE(contains(why_not("return e:share_won { l1 = 0 }"), "l1 must be in"));
  EXPECT_TRUE(contains(why_not("return e.task.bytes.x"), "mine.lua:1"));
  EXPECT_TRUE(contains(why_not("error({})"), "an error that is no text"));
}

TEST_F(LuaTools, ReachesNothingOutside) {
  for (const std::string name :
       {"io",           "os",           "package",    "debug",          "load",
        "loadfile",     "dofile",       "require",    "pcall",          "print",
        "setmetatable", "getmetatable", "coroutine",  "collectgarbage", "string.rep",
        "string.find",  "string.dump",  "table.move", "math.random",    "_G"}) {
    EXPECT_EQ(why_not("return e:not_applicable(tostring(" + name + "))"), "nil") << name;
  }
  EXPECT_TRUE(contains(why_not("return ('x'):rep(3)"), "nil value"));
}

TEST_F(LuaTools, FailsOnceAndIsSkippedThen) {
  auto read = read_lua_tool(tool("error('broken')"));
  ASSERT_TRUE(read);
  EXPECT_TRUE(std::holds_alternative<NotApplicable>(ask(**read, sample_.evidence())));
  EXPECT_TRUE(std::holds_alternative<Silent>(ask(**read, sample_.evidence())));
}

TEST_F(LuaTools, TakesNoNameThatIsTakenAndKeepsTheOthers) {
  tool(kFinding);
  write("same.lua",
        "return { name = 'mine', sees = 'a', costs = 'b', tries = 'c', "
        "examine = function() end }");
  write("built_in.lua",
        "return { name = 'bank_conflict', sees = 'a', costs = 'b', tries = 'c', "
        "examine = function() end }");
  write("broken.lua", "return");
  write("notes.txt", "no tool");
  const UserTools found = read_user_tools(std::array{folder_, folder_ / "missing"});
  ASSERT_EQ(found.tools.size(), 1u);
  EXPECT_EQ(found.tools[0].origin.filename(), "mine.lua");
  ASSERT_EQ(found.faults.size(), 3u);
  EXPECT_TRUE(contains(found.faults[0].text(), "broken.lua"));
  EXPECT_TRUE(contains(found.faults[1].text(), "bank_conflict"));
  EXPECT_TRUE(contains(found.faults[2].text(), "mine"));
}

TEST_F(LuaTools, SpeakInADiagnosisBesideTheBuiltInOnes) {
  tool(kFinding);
  use_tools(read_user_tools(std::array{folder_}).tools);
  const Diagnosis diagnosis =
      diagnose(sample_.floor, {.kernels = {sample_.kernel}}, sample_.device);
  EXPECT_TRUE(std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(),
                          [](const Finding& f) { return f.tool == "mine"; }));
}

TEST_F(LuaTools, TheShippedExamplesAreTools) {
  const UserTools shipped = read_user_tools(std::array{kShipped});
  for (const Error& fault : shipped.faults) ADD_FAILURE() << fault.text();
  EXPECT_EQ(shipped.tools.size(), 2u);
}

TEST_F(LuaTools, FenceHeavySeesFencesAndNothingElse) {
  auto read = read_lua_tool(kShipped / "fence_heavy.lua");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(std::holds_alternative<NotApplicable>(ask(**read, sample_.evidence())));
  sample_.times({20e3, 20e3, 20e3, 20e3, 20e3, 290e3});
  sample_.set({{metric::kWarpLatency, 20}, {metric::kStallMembar, 12}});
  const Verdict verdict = ask(**read, sample_.evidence());
  const auto* finding = std::get_if<Finding>(&verdict);
  ASSERT_NE(finding, nullptr);
  EXPECT_TRUE(contains(finding->saw, "60 % of their time")) << finding->saw;
  sample_.set({{metric::kStallMembar, 1}});
  EXPECT_TRUE(std::holds_alternative<Silent>(ask(**read, sample_.evidence())));
}

TEST_F(LuaTools, L2ResidentSeesSmallInputsThatComeAgain) {
  auto read = read_lua_tool(kShipped / "l2_resident.lua");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(std::holds_alternative<Silent>(ask(**read, sample_.evidence())));
  sample_.floor.bytes = 20e6;
  sample_.times({280e3, 50e3, 30e3, 40e3, 30e3, 60e3});
  const Verdict verdict = ask(**read, sample_.evidence());
  EXPECT_TRUE(std::holds_alternative<Finding>(verdict));
}

}  // namespace
}  // namespace kp::diagnose
