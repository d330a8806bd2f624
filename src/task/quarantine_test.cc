// SPDX-License-Identifier: Apache-2.0
#include "task/quarantine.h"

#include <gtest/gtest.h>

#include <set>

namespace kp::task {
namespace {

QuarantineList shipped() {
  auto list = QuarantineList::read(KP_SOURCE_DIR "/share/kernelbench/degenerate.toml");
  EXPECT_TRUE(list) << list.error().text();
  return list ? *std::move(list) : QuarantineList();
}

std::set<std::string> numbers_of(const QuarantineList& list, bool quarantined) {
  std::set<std::string> numbers;
  for (const TaskFault& fault : list.faults()) {
    if (list.find(fault.task + ".py")->excluded() == quarantined)
      numbers.insert(fault.task.substr(5, fault.task.find('_') - 5));
  }
  return numbers;
}

TEST(Quarantine, TheShippedListNamesEveryTaskThatIsKnown) {
  const auto list = shipped();
  EXPECT_GE(list.version(), 1);
  // Constant, at any tolerance or at 1e-4; random; huge.
  EXPECT_EQ(numbers_of(list, true),
            (std::set<std::string>{"1/23", "1/37", "2/9", "2/23", "2/36", "2/38", "2/42", "2/65",
                                   "2/66", "2/80", "2/83", "3/48"}));
  // Partial work, algebra, preconditions, indices.
  EXPECT_EQ(numbers_of(list, false),
            (std::set<std::string>{"1/12", "1/13", "1/14", "1/15", "1/38", "1/39", "1/51", "1/52",
                                   "1/53", "1/90", "1/94", "1/95", "1/96", "1/98", "1/99", "1/100",
                                   "2/2",  "2/13", "2/14", "2/15", "2/17", "2/18", "2/22", "2/44",
                                   "2/45", "2/49", "2/51", "2/67", "2/77", "2/81", "2/84", "2/91",
                                   "2/95", "2/99", "3/36", "3/37"}));
  EXPECT_EQ(list.listed().size(), 8u);
}

TEST(Quarantine, EveryFaultOfTheShippedListSaysWhyAndHowToMendIt) {
  const auto list = shipped();
  for (const TaskFault& fault : list.faults()) {
    const bool fault_of_task =
        fault.kind != FaultClass::kAlgebraic && fault.kind != FaultClass::kPrecondition;
    EXPECT_EQ(fault.repair.empty(), !fault_of_task) << fault.task;
    EXPECT_TRUE(fault.reason.ends_with('.')) << fault.task;
    EXPECT_EQ(fault.passes.empty(), !fault.tolerance) << fault.task;
    EXPECT_TRUE(fault_of_task || !fault.quarantine) << fault.task;
  }
}

TEST(Quarantine, IsFoundByFileNameAndLevel) {
  const auto list = shipped();
  const auto softmax = list.find("KernelBench/level1/23_Softmax.py");
  ASSERT_TRUE(softmax);
  EXPECT_EQ(softmax->task, "level1/23_Softmax");
  EXPECT_TRUE(softmax->excluded());
  EXPECT_EQ(softmax->reason(),
            "small: passes as zeros at 0.0001. A row has 393,216 elements, so that no value "
            "exceeds 4.0e-6.");
  EXPECT_EQ(softmax->listed,
            (std::vector<std::string>{"KernelBench issue 165",
                                      "robust-kbench, output range (sizes of v0)"}));
  EXPECT_TRUE(list.find("elsewhere/23_Softmax.py")) << "no level around it";
  EXPECT_FALSE(list.find("level2/23_Softmax.py"));
  EXPECT_FALSE(list.find("level1/24_Softmax.py"));
  EXPECT_FALSE(list.find("level1/23_Softmax2.py"));
}

TEST(Quarantine, GivesEveryFaultOfATaskTheWorstFirst) {
  const auto dropout = shipped().find("level2/66_Matmul_Dropout_Softmax.py");
  ASSERT_TRUE(dropout);
  ASSERT_EQ(dropout->faults.size(), 2u);
  EXPECT_EQ(dropout->reason().find("random. Dropout in train mode"), 0u) << dropout->reason();
  EXPECT_NE(dropout->reason().find("at 0.01."), std::string::npos);
}

TEST(Quarantine, OnlyPythonProblemsAreLookedUp) {
  Task task;
  task.path = "level1/23_Softmax";
  const auto folder = known_faults(task);
  ASSERT_TRUE(folder) << folder.error().text();
  EXPECT_FALSE(*folder);
}

TEST(Quarantine, ALabelIsNoExclusion) {
  Task task;
  task.path = "KernelBench/level2/18_Matmul_Sum_Max_AvgPool_LogSumExp_LogSumExp.py";
  const auto known = known_faults(task);
  ASSERT_TRUE(known) << known.error().text();
  ASSERT_TRUE(*known);
  EXPECT_EQ((*known)->faults.front().kind, FaultClass::kAlgebraic);
  const auto excluded = quarantined(task);
  ASSERT_TRUE(excluded);
  EXPECT_FALSE(*excluded);
  task.path = "KernelBench/level2/80_Gemm_Max_Subtract_GELU.py";
  EXPECT_TRUE(*quarantined(task));
}

Result<QuarantineList> list_of(const std::string& text) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  EXPECT_TRUE(write_file(folder.path() / "degenerate.toml", text));
  return QuarantineList::read(folder.path() / "degenerate.toml");
}

std::string entry(const std::string& task, const std::string& kind, const std::string& more = "") {
  return "version = 1\n[[fault]]\ntask = \"" + task + "\"\nclass = \"" + kind +
         "\"\nquarantine = true\nreason = \"r\"\n" + more;
}

TEST(Quarantine, AFileThatIsNoListNamesTheLine) {
  EXPECT_TRUE(list_of(entry("level1/1_a", "huge"))) << "the cases below differ in one place";
  const std::vector<std::pair<std::string, int>> cases{
      {"", 1},
      {"version = 1\n[[fault]\n", 2},
      {"version = 1\n[[fault]]\nclass = \"huge\"\nquarantine = true\nreason = \"r\"\n", 2},
      {entry("23_Softmax", "huge"), 3},
      {entry("level1/x_a", "huge"), 3},
      {entry("level1/1_a", "dull"), 4},
      {entry("level1/1_a", "huge", "tolerance = -1\n"), 7},
      {entry("level1/1_a", "huge", "tolerance = \"any\"\n"), 7},
      {entry("level1/1_a", "huge", "screened = \"perhaps\"\n"), 7},
      {entry("level1/1_a", "huge", "passes = 3\n"), 7},
      {entry("level1/1_a", "huge", "[[listed]]\norigin = \"o\"\nground = \"g\"\ntasks = [3]\n"),
       10},
      {entry("level1/1_a", "huge", "[[listed]]\norigin = \"o\"\n"), 7}};
  for (const auto& [text, line] : cases) {
    const auto list = list_of(text);
    ASSERT_FALSE(list) << text;
    EXPECT_EQ(list.error().code, ErrorCode::kInvalidInput);
    EXPECT_EQ(list.error().spot.line, line) << text << list.error().text();
  }
}

}  // namespace
}  // namespace kp::task
