// SPDX-License-Identifier: Apache-2.0
// One process and its judge.
#include "device/cuda/worker.h"

#include "fixture.h"

namespace kp::device::cuda {
namespace {

std::unique_ptr<Worker> start(WorkerSpec spec) {
  Result<std::unique_ptr<Worker>> worker = Worker::start(spec);
  EXPECT_TRUE(worker) << worker.error().text();
  return *std::move(worker);
}

TEST(Worker, TellsWhatTheDriverSays) {
  const auto worker = start(fake_spec());
  const Result<Opened> opened = worker->opened();
  ASSERT_TRUE(opened) << opened.error().text();
  EXPECT_EQ(opened->name, "NVIDIA H200");
  EXPECT_TRUE(opened->uuid.starts_with("GPU-0707"));
  EXPECT_EQ(opened->attributes.at(16), 4);
}

TEST(Worker, NamesAGpuThatIsNotThere) {
  WorkerSpec spec = fake_spec();
  spec.gpu = 5;
  const Result<Opened> opened = start(spec)->opened();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(opened.error().message.find("GPU 5"), std::string::npos) << opened.error().message;
}

TEST(Worker, TellsThatThereIsNoDriver) {
  WorkerSpec spec = fake_spec();
  ::setenv("LD_LIBRARY_PATH", "/nowhere", 1);
  if (::access("/dev/nvidiactl", F_OK) == 0) GTEST_SKIP() << "this machine has one";
  const Result<Opened> opened = start(spec)->opened();
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("libcuda.so.1"), std::string::npos)
      << opened.error().message;
}

TEST(Worker, TellsThatItsProgramIsNotThere) {
  WorkerSpec spec = fake_spec();
  spec.program = "/nowhere/kernelpro-gpu";
  spec.confinement = Confinement::kMinimal;
  const Result<std::unique_ptr<Worker>> worker = Worker::start(spec);
  ASSERT_FALSE(worker);
  EXPECT_EQ(worker.error().code, ErrorCode::kNotFound);
}

TEST(Worker, RefusesARequestThatNobodyKnowsAndLivesOn) {
  const auto worker = start(fake_spec());
  ASSERT_TRUE(worker->opened());
  const Reply reply = worker->ask({.body = {{"do", "dance"}}, .phase = "dance"});
  ASSERT_TRUE(std::holds_alternative<Fault>(reply));
  EXPECT_TRUE(worker->alive());
  EXPECT_TRUE(std::holds_alternative<Frame>(worker->ask({.body = {{"do", "probe"}}})));
}

TEST(Worker, IsGoneAfterItWasKilled) {
  const auto worker = start(fake_spec());
  ASSERT_TRUE(worker->opened());
  worker->kill();
  EXPECT_TRUE(worker->gone(std::chrono::seconds(10)));
  EXPECT_TRUE(std::holds_alternative<Fault>(worker->ask({.body = {{"do", "probe"}}})));
  EXPECT_FALSE(worker->alive());
}

}  // namespace
}  // namespace kp::device::cuda
