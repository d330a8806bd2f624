// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu_metrics.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "base/file.h"

namespace kp::profile::ncu {
namespace {

TEST(Metrics, every_counter_that_rooms_exchange_is_kept) {
  const auto text = read_text(Path(KP_SOURCE_DIR) / "src/model/metric_keys.h");
  ASSERT_TRUE(text) << text.error().text();
  const std::regex key("MetricKey k\\w+\\{\\s*\"([^\"]+)\"");
  std::set<std::string> listed;
  for (const MetricKey& counter : counters()) listed.emplace(counter.name);
  for (std::sregex_iterator at(text->begin(), text->end(), key), end; at != end; ++at) {
    const std::string name = (*at)[1];
    if (!name.starts_with("kp__")) {
      EXPECT_TRUE(listed.contains(name)) << name << " is missing in ncu_metrics.cc";
    }
  }
  EXPECT_GT(listed.size(), 80u);
}

TEST(Metrics, what_nobody_reads_is_not_kept) {
  EXPECT_FALSE(meaning_of("breakdown:sm__throughput.avg"));
  EXPECT_FALSE(meaning_of("smsp__pcsamp_warps_issue_stalled_wait"));
  EXPECT_TRUE(meaning_of("smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio"));
}

TEST(Metrics, one_label_of_two_metrics_is_told_by_its_unit) {
  EXPECT_EQ(meaning_of_label("Memory Throughput", "%")->name, metric::kMemoryPct.name);
  EXPECT_FALSE(meaning_of_label("Memory Throughput", "byte/s"));
  EXPECT_FALSE(meaning_of_label("SM Frequency", "hz"));
}

TEST(Metrics, counts_follow_from_rates_that_are_not_lost_in_rounding) {
  MetricSet metrics;
  metrics.set("smsp__cycles_elapsed.avg", {1000, Grade::kMeasured});
  metrics.set("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed",
              {131.5, Grade::kMeasured});
  metrics.set("smsp__sass_thread_inst_executed_op_dfma_pred_on.sum.per_cycle_elapsed",
              {0, Grade::kMeasured});
  metrics.set("smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed",
              {0.02, Grade::kMeasured});
  add_derived(metrics);
  EXPECT_EQ(metrics.get(metric::kFfma), 131500);
  EXPECT_EQ(metrics.get(metric::kDfma), 0);
  EXPECT_EQ(metrics.get(metric::kFadd), std::nullopt);
  EXPECT_EQ(metrics.get(metric::kFmul), std::nullopt);
}

TEST(Metrics, a_count_that_was_recorded_is_not_made_again) {
  MetricSet metrics;
  metrics.set(metric::kL2AtomSectors, 5, Grade::kMeasured);
  metrics.set("lts__t_sectors_srcunit_tex_op_atom.sum", {4, Grade::kMeasured});
  add_derived(metrics);
  EXPECT_EQ(metrics.get(metric::kL2AtomSectors), 5);
}

TEST(Metrics, shared_memory_is_what_the_kernel_asked_for) {
  MetricSet metrics;
  metrics.set(metric::kSharedPerBlock, 5120, Grade::kStatic);
  metrics.set("launch__shared_mem_per_block_static", {4096, Grade::kStatic});
  metrics.set("launch__shared_mem_per_block_dynamic", {0, Grade::kStatic});
  add_derived(metrics);
  EXPECT_EQ(metrics.get(metric::kSharedPerBlock), 4096);
}

}  // namespace
}  // namespace kp::profile::ncu
