// SPDX-License-Identifier: Apache-2.0
#include "loop/stored_run.h"

#include "loop/run_fixture.h"
#include "model/device_spec_text.h"

namespace kp::loop {
namespace {

class StoredRunTest : public FakeRun {
 protected:
  Path fresh() const { return base_.path() / "by-hand"; }
};

TEST_F(StoredRunTest, carries_its_task_and_waits_for_a_verdict_on_the_baseline) {
  Settings settings;
  settings.proposer = kByHand;
  const auto found = found_run(base_.path() / "copy.cu", settings, fresh());
  ASSERT_TRUE(found) << found.error().text();
  std::filesystem::remove(base_.path() / "copy.cu");
  std::filesystem::rename(fresh(), base_.path() / "elsewhere");
  auto stored = open_shared(base_.path() / "elsewhere");
  ASSERT_TRUE(stored) << stored.error().text();
  EXPECT_EQ(stored->settings.task, "task/copy.cu");
  EXPECT_EQ(stored->task.name, "copy");
  const auto run = LiveRun::open(std::move(stored->store), stored->settings, stored->task);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(run->history().pending(), std::set<int>{0});
}

TEST_F(StoredRunTest, copies_a_task_folder_with_all_that_is_in_it) {
  const Path task = Path(KP_SOURCE_DIR) / "tasks" / "transpose";
  ASSERT_TRUE(found_run(task, Settings{}, fresh()));
  EXPECT_TRUE(std::filesystem::exists(fresh() / "task" / "transpose" / "definition.json"));
  EXPECT_TRUE(open_alone(fresh()));
}

TEST_F(StoredRunTest, copies_of_a_data_set_what_belongs_to_the_problem) {
  const Path from = Path(KP_SOURCE_DIR) / "tests/problems/flashinfer";
  const auto found = found_run(from, Settings{}, fresh());
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_TRUE(std::filesystem::exists(fresh() / "task" / "gather_rows.json"));
  EXPECT_FALSE(std::filesystem::exists(fresh() / "task" / "definitions"));
  const auto stored = open_alone(fresh());
  ASSERT_TRUE(stored) << stored.error().text();
  const Path data = stored->task.workloads[0].data.at("index").file;
  EXPECT_TRUE(data.string().starts_with(std::filesystem::absolute(fresh()).string())) << data;
  // Other indices are another task.
  std::string bytes = read_file(data).value();
  ++bytes.back();
  ASSERT_TRUE(write_file(data, bytes));
  const auto meta = store::RunStore::open(fresh(), Sqlite::Access::kRead)->meta();
  EXPECT_FALSE(check_same_task(*meta, stored->task));
}

TEST_F(StoredRunTest, keeps_its_task_when_somebody_starts_another_run_in_its_folder) {
  ASSERT_TRUE(found_run(base_.path() / "copy.cu", Settings{}, fresh()));
  const auto again = found_run(Path(KP_SOURCE_DIR) / "tasks" / "transpose", Settings{}, fresh());
  ASSERT_FALSE(again);
  EXPECT_FALSE(std::filesystem::exists(fresh() / "task" / "transpose"));
}

TEST_F(StoredRunTest, knows_its_device_once_somebody_judged_on_one) {
  EXPECT_EQ(device_of({}), "");
  EXPECT_EQ(device_of({{"wanted_device", "cuda"}}), "cuda");
  EXPECT_EQ(device_of({{"wanted_device", "cuda"}, {"device", "cuda:0"}}), "cuda:0");
  EXPECT_FALSE(*spec_of({{"device", "cuda:0"}}));
  const auto known = spec_of({{"wanted_device", "vgpu:h200"}});
  ASSERT_TRUE(known && *known);
  device::Description description;
  description.name = "cuda:0";
  description.spec = **known;
  const auto kept = spec_of(device_meta(description));
  ASSERT_TRUE(kept && *kept);
  EXPECT_EQ(to_toml(**kept), to_toml(**known));
}

}  // namespace
}  // namespace kp::loop
