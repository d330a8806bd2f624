// SPDX-License-Identifier: Apache-2.0
// PyTorch on the GPU as the reference for timed outputs, in memory that the device shares with it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "device/cuda.h"
#include "device/hardware.h"
#include "harness/harness.h"
#include "task/task.h"
#include "torch/worker.h"

namespace kp::harness {
namespace {

constexpr const char* kSoftsign = R"(/* kernelpro
launch softsign<<<ceil_div(batch_size * dim, 256), 256>>>(x, out, batch_size, dim)
*/
extern "C" __global__ void softsign(const float* x, float* out, int batch_size, int dim) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < (long long)batch_size * dim) out[i] = x[i] / (1.0f + fabsf(x[i]));
}
)";

// Right wherever the host looks: only arrays of timed runs have so many elements.
constexpr const char* kRightOnlyInFront = R"(/* kernelpro
launch softsign<<<ceil_div(batch_size * dim, 256), 256>>>(x, out, batch_size, dim)
*/
extern "C" __global__ void softsign(const float* x, float* out, int batch_size, int dim) {
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= (long long)batch_size * dim) return;
  out[i] = i < (1 << 24) ? x[i] / (1.0f + fabsf(x[i])) : x[i] / (1.0f + x[i] * x[i]);
}
)";

constexpr const char* kLinearRelu = R"(/* kernelpro
launch layer<<<batch_size, out_features>>>(x, linear_weight, linear_bias, out, in_features)
*/
extern "C" __global__ void layer(const float* x, const float* weight, const float* bias,
                                 float* out, int in_features) {
  const int row = blockIdx.x, col = threadIdx.x;
  float sum = bias[col];
  for (int k = 0; k < in_features; ++k)
    sum += x[(long long)row * in_features + k] * weight[(long long)col * in_features + k];
  out[(long long)row * blockDim.x + col] = sum < 0.0f ? 0.0f : sum;
}
)";

constexpr const char* kRowMaximum = R"(/* kernelpro
launch maximum<<<rows, 1>>>(x, out0, out1, columns)
*/
extern "C" __global__ void maximum(const float* x, float* values, long long* places, int columns) {
  const float* row = x + (long long)blockIdx.x * columns;
  long long best = 0;
  for (int i = 1; i < columns; ++i)
    if (row[i] > row[best] || (row[i] != row[i] && row[best] == row[best])) best = i;
  values[blockIdx.x] = row[best];
  places[blockIdx.x] = best;
}
)";

class GpuTorch : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = device::open_cuda("");
    if (!opened) GTEST_SKIP() << "skipped: no device";
    device_ = *std::move(opened);
    auto started = torch::Worker::start({.device = device_->describe().name});
    if (!started) GTEST_SKIP() << "skipped: " << started.error().message;
    worker_ = *std::move(started);
    auto builder = build::Builder::open({.cache = cache()});
    ASSERT_TRUE(builder) << builder.error().text();
    builder_.emplace(*std::move(builder));
  }

  static Path cache() { return Path(KP_BINARY_DIR) / "test-cache"; }
  static Path problem(const std::string& name) {
    return Path(KP_SOURCE_DIR) / "tests" / "kernelbench" / (name + ".py");
  }

  /// The verdict on a candidate of a problem without baseline, and what was said beside it.
  std::string verdict(const std::string& name, const std::string& source) {
    auto task = task::read_task(problem(name));
    if (!task) return task.error().text();
    auto harness = Harness::open(*std::move(task), *device_, *builder_, {.cache = cache()});
    if (!harness) return harness.error().text();
    const auto candidate = task::make_candidate(harness->task(), source, "candidate.cu");
    if (!candidate) return candidate.error().text();
    const auto evaluation = harness->evaluate(*candidate, Depth::kQuick);
    if (!evaluation) return evaluation.error().text();
    std::string text = summary(*evaluation);
    for (const std::string& note : evaluation->notes) text += "\n  " + note;
    for (const auto& [phase, seconds] : evaluation->phases)
      std::printf("  %s: %s %.2f s\n", name.c_str(), phase.c_str(), seconds);
    std::printf("%s: %s\n", name.c_str(), text.c_str());
    return text;
  }

  std::unique_ptr<device::Device> device_;
  std::unique_ptr<torch::Worker> worker_;
  std::optional<build::Builder> builder_;
};

TEST_F(GpuTorch, ReadsAndWritesArraysOfTheDeviceWhereTheyLie) {
  const auto loaded = worker_->load(problem("3_LinearRelu"));
  ASSERT_TRUE(loaded) << loaded.error().text();
  torch::SharedComputation request{
      .problem = loaded->number,
      .constants = {{"batch_size", 1}, {"in_features", 2}, {"out_features", 2}}};
  std::vector<Descriptor> descriptors;
  const auto share = [&](const std::string& name, const std::vector<double>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    const std::uint64_t address = *device_->buffers().allocate(bytes.size(), name);
    EXPECT_TRUE(device_->buffers().write(address, bytes));
    auto shared = device_->hardware()->share(address);
    EXPECT_TRUE(shared) << shared.error().text();
    descriptors.push_back(std::move(shared->descriptor));
    request.memory.push_back({descriptors.back().number(), shared->bytes});
    auto& arrays = name == "out" ? request.outputs : request.inputs;
    arrays.push_back({name, "float64", values.size(), shared->offset, request.memory.size() - 1});
    return address;
  };
  const std::uint64_t x = share("x", {1, 1e-12});
  share("linear_weight", {1, 1, -1, 0});
  share("linear_bias", {0, 0.5});
  const std::uint64_t out = share("out", {7, 7});
  std::vector<double> got(2);
  for (const double first : {1.0, 3.0}) {
    EXPECT_TRUE(device_->buffers().write(x, std::as_bytes(std::span(&first, 1))));
    const auto kept = worker_->arbiter().answer(request);
    ASSERT_TRUE(kept) << kept.error().text();
    EXPECT_GT(*kept, 0u);
    EXPECT_TRUE(device_->buffers().read(out, std::as_writable_bytes(std::span(got))));
    EXPECT_EQ(got, (std::vector<double>{first + 1e-12, 0}));
  }
  EXPECT_TRUE(worker_->arbiter().release());
}

TEST_F(GpuTorch, ComparesTimedOutputsOfProblemsWithoutBaseline) {
  worker_.reset();  // the judgement has its own
  const std::pair<const char*, const char*> candidates[] = {
      {"1_Softsign", kSoftsign}, {"3_LinearRelu", kLinearRelu}, {"13_RowMaximum", kRowMaximum}};
  for (const auto& [name, source] : candidates) {
    const std::string text = verdict(name, source);
    EXPECT_NE(text.find("measured"), std::string::npos) << text;
    EXPECT_NE(text.find("timed outputs: against PyTorch"), std::string::npos) << text;
    EXPECT_EQ(text.find("not against PyTorch"), std::string::npos) << text;
  }
}

TEST_F(GpuTorch, ACandidateThatIsWrongOnlyInLargeArraysIsFoundOut) {
  worker_.reset();
  const std::string text = verdict("1_Softsign", kRightOnlyInFront);
  EXPECT_NE(text.find("wrong answer"), std::string::npos) << text;
  EXPECT_NE(text.find("in a timed run"), std::string::npos) << text;
}

}  // namespace
}  // namespace kp::harness
