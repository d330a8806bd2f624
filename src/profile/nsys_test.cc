// SPDX-License-Identifier: Apache-2.0
// The exports are made here after the schema that NVIDIA documents; no recorded one was at hand.
#include <gtest/gtest.h>

#include "base/sqlite.h"
#include "profile/nsys_tables.h"
#include "profile/recording.h"

namespace kp::profile {
namespace {

constexpr const char* kStrings = R"(
CREATE TABLE StringIds(id INTEGER, value TEXT);
INSERT INTO StringIds VALUES(1, 'add(float *)'), (2, 'void scale<float>(T1 *)'),
  (3, 'cudaLaunchKernel_v7000'), (4, 'cudaMalloc_v3020'), (5, 'cudaDeviceSynchronize_v3020'),
  (6, 'cudaMemcpy_v3020'), (7, 'kernelpro');)";
// As newer versions write it; older ones lack the columns of clusters.
constexpr const char* kKernelTable = R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER,
  streamId INTEGER, correlationId INTEGER, demangledName INTEGER, shortName INTEGER,
  registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER,
  blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER)";
constexpr const char* kKernelRows = R"(
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start, end, demangledName, registersPerThread, gridX, gridY,
  gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory) VALUES
  (1000, 1100, 1, 16, 10, 2, 1, 128, 1, 1, 0, 0), (2000, 2300, 1, 16, 10, 2, 1, 128, 1, 1, 0, 0),
  (3000, 3120, 1, 16, 10, 2, 1, 128, 1, 1, 0, 0),
  (4000, 9000, 2, 40, 64, 1, 1, 32, 8, 1, 1024, 512);)";
constexpr const char* kCalls = R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid, nameId) VALUES
  (100, 800, 7, 4), (900, 950, 7, 3), (1900, 1960, 7, 3), (2900, 2970, 7, 3), (3900, 3980, 7, 3),
  (4100, 9010, 7, 5), (9100, 9200, 7, 6);)";

class NsysTest : public testing::Test {
 protected:
  void put(const std::string& sql) {
    auto database = Sqlite::open(file_, Sqlite::Access::kWrite);
    const auto done = database->execute(sql);
    ASSERT_TRUE(done) << done.error().text();
  }
  void put_usual(const std::string& more_columns = "") {
    put(std::string(kStrings) + kKernelTable + more_columns + ");" + kKernelRows + kCalls);
  }
  TemporaryFolder folder_ = *TemporaryFolder::make();
  Path file_ = folder_.path() / "r.sqlite";
};

TEST_F(NsysTest, OrdersKernelsByTheirShareOfTime) {
  put_usual();
  const auto recording = read_nsys_sqlite(file_);
  ASSERT_TRUE(recording) << recording.error().text();
  EXPECT_EQ(recording->source, "nsys");
  ASSERT_EQ(recording->kernels.size(), 2u);
  EXPECT_EQ(recording->kernels[0].name, "void scale<float>(T1 *)");
  const RecordedKernel& add = recording->kernels[1];
  EXPECT_EQ(add.launches, 3);
  EXPECT_EQ(add.total_ns, 520);
  EXPECT_DOUBLE_EQ(add.profile.share, 520.0 / 5520);
  EXPECT_EQ(add.profile.metrics.get(metric::kDuration), 120) << "of the median launch";
  EXPECT_EQ(add.profile.metrics.find(metric::kDuration.name)->grade, Grade::kMeasured);
  EXPECT_EQ(add.profile.metrics.get(metric::kGridSize), 20);
  EXPECT_EQ(recording->kernels[0].profile.metrics.get(metric::kSharedPerBlock), 1536);
  EXPECT_FALSE(add.profile.metrics.get(metric::kDramPct)) << "unknown, not 0";
}

TEST_F(NsysTest, MakesATimelineOfTheSteadyState) {
  put_usual();
  const auto timeline = read_nsys_sqlite(file_)->timeline;
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->window_ns, 8100) << "from the first launch after the allocation";
  EXPECT_EQ(timeline->busy_ns, 5520);
  EXPECT_EQ(timeline->launches, 4);
  EXPECT_EQ(timeline->launch_api_ns, 260);
  EXPECT_EQ(timeline->median_kernel_ns, 210);
  EXPECT_EQ(timeline->syncs, 1);
  EXPECT_EQ(timeline->allocations, 0);
}

TEST_F(NsysTest, ReadsNewerExportsWithClusters) {
  put_usual(", clusterX INTEGER, clusterY INTEGER, clusterZ INTEGER");
  EXPECT_EQ(read_nsys_sqlite(file_)->kernels.size(), 2u);
}

TEST_F(NsysTest, TakesTheRangeThatTheUserMarked) {
  put_usual();
  put("CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, text TEXT, textId INTEGER);"
      "INSERT INTO NVTX_EVENTS VALUES(1950, 3500, NULL, 7), (0, 9999, 'all', NULL);");
  const auto timeline = read_nsys_sqlite(file_)->timeline;
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->window_ns, 1550);
  EXPECT_EQ(timeline->launches, 2);
}

TEST_F(NsysTest, TellsCopiesFromPageableMemory) {
  put_usual();
  put("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, bytes INTEGER, copyKind "
      "INTEGER, srcKind INTEGER, dstKind INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(2400, 2500, 4096, 1, 0, 2), "
      "(2500, 2600, 512, 2, 2, 1), (2600, 2700, 64, 8, 2, 2);");
  const auto timeline = read_nsys_sqlite(file_)->timeline;
  EXPECT_EQ(timeline->copies, 2);
  EXPECT_EQ(timeline->copy_ns, 200);
  EXPECT_EQ(timeline->pageable_copy_bytes, 4096);
}

TEST_F(NsysTest, KnowsTheGpuWhereTheExportSays) {
  put_usual();
  EXPECT_EQ(read_nsys_sqlite(file_)->device, "");
  put("CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT, computeMajor INTEGER, computeMinor "
      "INTEGER); INSERT INTO TARGET_INFO_GPU VALUES(0, 'NVIDIA H200', 9, 0);");
  const auto recording = read_nsys_sqlite(file_);
  EXPECT_EQ(recording->device, "NVIDIA H200");
  EXPECT_EQ(recording->architecture, "sm_90");
}

TEST_F(NsysTest, AnExportWithoutKernelsHasNoTimeline) {
  put(kStrings);
  const auto recording = read_nsys_sqlite(file_);
  ASSERT_TRUE(recording);
  EXPECT_TRUE(recording->kernels.empty());
  EXPECT_FALSE(recording->timeline);
  EXPECT_EQ(recording->notes.front(), "the export holds no kernel");
}

TEST_F(NsysTest, SaysWhatAFileIsNot) {
  put("CREATE TABLE nodes(id INTEGER)");
  const auto other = read_nsys_sqlite(file_);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(other.error().text().find("nsys export"), std::string::npos);
  ASSERT_TRUE(write_file(file_, "QDSTRM, a report that was not exported, or any other text"));
  EXPECT_EQ(read_nsys_sqlite(file_).error().code, ErrorCode::kCorrupt);
}

TEST_F(NsysTest, AMissingColumnIsNamed) {
  put(std::string(kStrings) +
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, demangledName INTEGER)");
  const auto recording = read_nsys_sqlite(file_);
  ASSERT_FALSE(recording);
  EXPECT_NE(recording.error().message.find("gridX"), std::string::npos);
}

TEST(KindOfCall, GoesByTheNameWithoutItsVersion) {
  EXPECT_EQ(kind_of_call("cudaLaunchKernelExC_v11060"), HostCall::Kind::kLaunch);
  EXPECT_EQ(kind_of_call("cuLaunchKernel"), HostCall::Kind::kLaunch);
  EXPECT_EQ(kind_of_call("cudaGraphLaunch_v10000"), HostCall::Kind::kGraphLaunch);
  EXPECT_EQ(kind_of_call("cuMemFree_v2"), HostCall::Kind::kAllocation);
  EXPECT_EQ(kind_of_call("cudaMallocAsync_v11020"), std::nullopt);
  EXPECT_EQ(kind_of_call("cuModuleLoadDataEx"), HostCall::Kind::kSetUp);
  EXPECT_EQ(kind_of_call("cudaGetDevice_v3020"), std::nullopt);
}

}  // namespace
}  // namespace kp::profile
