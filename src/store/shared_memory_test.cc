// SPDX-License-Identifier: Apache-2.0
#include "store/shared_memory.h"

#include <gtest/gtest.h>

#include <fstream>

namespace kp::store {
namespace {

Experience tried(const std::string& run, int node, const std::string& task) {
  Experience experience;
  experience.run = run;
  experience.node = node;
  experience.task = task;
  experience.device = "vgpu:h200";
  experience.boundness = Boundness::kCompute;
  experience.findings = {"occupancy", "divergence"};
  experience.tool = "occupancy";
  experience.action = "shrink-block";
  experience.idea = "smaller blocks";
  experience.outcome = "measured";
  experience.gain = 1.5;
  experience.sources = {"a.h"};
  return experience;
}

class Shared : public testing::Test {
 protected:
  Path file() const { return folder_.path() / "deep" / "memory.db"; }
  SharedMemory open() const {
    auto memory = SharedMemory::open(file());
    EXPECT_TRUE(memory) << memory.error().text();
    return *std::move(memory);
  }
  void add(const Experience& one, const std::string& digest = "d") {
    ASSERT_TRUE(open().add({&one, 1}, digest));
  }
  TemporaryFolder folder_ = *TemporaryFolder::make();
};

TEST_F(Shared, gives_back_what_another_run_added) {
  add(tried("one", 3, "softmax"));
  const auto list = *open().read({});
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].run, "one");
  EXPECT_EQ(list[0].node, 3);
  EXPECT_EQ(list[0].boundness, Boundness::kCompute);
  EXPECT_EQ(list[0].findings, (std::vector<std::string>{"occupancy", "divergence"}));
  EXPECT_EQ(list[0].action, "shrink-block");
  EXPECT_EQ(list[0].gain, 1.5);
  EXPECT_EQ(list[0].sources, std::vector<std::string>{"a.h"});
}

TEST_F(Shared, keeps_what_is_added_twice_once) {
  add(tried("one", 3, "softmax"));
  add(tried("one", 3, "softmax"));
  add(tried("two", 3, "softmax"));
  EXPECT_EQ(open().read({})->size(), 2u);
}

TEST_F(Shared, leaves_out_a_run_and_a_task_by_name_or_content) {
  add(tried("one", 1, "softmax"), "s");
  add(tried("two", 1, "copy of softmax"), "s");
  add(tried("three", 1, "transpose"), "t");
  EXPECT_EQ(open().read({"one", "", ""})->size(), 2u);
  const auto held_out = *open().read({"", "softmax", "s"});
  ASSERT_EQ(held_out.size(), 1u);
  EXPECT_EQ(held_out[0].task, "transpose");
}

TEST_F(Shared, reads_only_what_is_new_since_it_last_read) {
  auto memory = open();
  add(tried("one", 1, "softmax"));
  EXPECT_EQ(memory.read({})->size(), 1u);
  add(tried("one", 2, "softmax"));
  const auto more = *memory.read({});
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(more[0].node, 2);
}

TEST_F(Shared, forgets_a_run_or_everything) {
  add(tried("one", 1, "softmax"));
  add(tried("two", 1, "softmax"));
  EXPECT_EQ(*open().forget("one"), 1);
  EXPECT_EQ(open().read({})->size(), 1u);
  EXPECT_EQ(*open().forget(std::nullopt), 1);
  EXPECT_EQ(open().read({})->size(), 0u);
}

TEST_F(Shared, says_which_file_is_damaged) {
  std::ofstream(folder_.path() / "memory.db")
      << "this is no database, but a text that is long enough to be taken for a header of one....";
  const auto memory = SharedMemory::open(folder_.path() / "memory.db");
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, ErrorCode::kCorrupt);
  EXPECT_NE(memory.error().text().find("memory.db"), std::string::npos);
}

}  // namespace
}  // namespace kp::store
