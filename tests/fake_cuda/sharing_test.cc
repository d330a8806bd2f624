// SPDX-License-Identifier: Apache-2.0
// PyTorch reads and writes the arrays of a device where they lie. The pretended driver's memory is
// the host's, so PyTorch runs on the CPU; everything else is as with a GPU.
#include "fixture.h"
#include "torch/worker.h"

namespace kp::device::cuda {
namespace {

class Sharing : public FakeGpu {
 protected:
  void SetUp() override {
    FakeGpu::SetUp();
    auto started = torch::Worker::start({.stop = &stop_});
    if (!started && started.error().code == ErrorCode::kUnavailable)
      GTEST_SKIP() << "skipped: no PyTorch";
    ASSERT_TRUE(started) << started.error().text();
    worker_ = *std::move(started);
    const Path file = Path(KP_SOURCE_DIR) / "tests" / "kernelbench" / "3_LinearRelu.py";
    const auto problem = worker_->load(file);
    ASSERT_TRUE(problem) << problem.error().text();
    request_ = {.problem = problem->number,
                .constants = {{"batch_size", 1}, {"in_features", 2}, {"out_features", 2}}};
  }

  std::uint64_t doubles(const std::vector<double>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    Result<std::uint64_t> address = device_->buffers().allocate(bytes.size(), "doubles");
    EXPECT_TRUE(address) << address.error().text();
    EXPECT_TRUE(device_->buffers().write(*address, bytes));
    return *address;
  }

  torch::SharedArray share(const std::string& name, std::uint64_t address, std::uint64_t count) {
    Result<SharedArray> shared = device_->hardware()->share(address);
    EXPECT_TRUE(shared) << shared.error().text();
    descriptors_.push_back(std::move(shared->descriptor));
    request_.memory.push_back({descriptors_.back().number(), shared->bytes});
    return {name, "float64", count, shared->offset, request_.memory.size() - 1};
  }

  std::unique_ptr<torch::Worker> worker_;
  torch::SharedComputation request_;
  std::vector<Descriptor> descriptors_;
};

TEST_F(Sharing, PyTorchWritesItsAnswerIntoAnArrayOfTheDevice) {
  request_.inputs = {share("x", doubles({1, 1e-12}), 2),
                     share("linear_weight", doubles({1, 1, -1, 0}), 4),
                     share("linear_bias", doubles({0, 0.5}), 2)};
  const std::uint64_t out = doubles({7, 7});
  request_.outputs = {share("y", out, 2)};
  const auto kept = worker_->arbiter().answer(request_);
  ASSERT_TRUE(kept) << kept.error().text();
  std::vector<double> got(2);
  EXPECT_TRUE(device_->buffers().read(out, std::as_writable_bytes(std::span(got))));
  EXPECT_EQ(got, (std::vector<double>{1 + 1e-12, 0}));
  EXPECT_TRUE(worker_->arbiter().release());
}

TEST_F(Sharing, ARequestThatDoesNotFitTheProblemIsRefusedByName) {
  request_.inputs = {share("x", doubles({1, 2, 3}), 3)};
  request_.outputs = {share("y", doubles({0, 0}), 2)};
  const auto answered = worker_->arbiter().answer(request_);
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(answered.error().message.find("x has 3 elements instead of 2"), std::string::npos)
      << answered.error().text();
}

}  // namespace
}  // namespace kp::device::cuda
