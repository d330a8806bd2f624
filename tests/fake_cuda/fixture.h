// SPDX-License-Identifier: Apache-2.0
// A device over the pretended driver, and candidates by the behaviour of their one kernel.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "base/file.h"
#include "device/cuda/gpu_device.h"

namespace kp::device::cuda {

inline constexpr const char* kInstruments =
    "fake binary\nkernel kp_hold none\nkernel kp_scrub none\nkernel kp_sweep none\n"
    "kernel kp_tick tick\nkernel kp_probe probe\nkernel kp_fill_shared none\n"
    "kernel kp_fill_local none\nkernel kp_occupy none\n";

/// Workers inherit the folder of libraries, and only that.
inline WorkerSpec fake_spec() {
  ::setenv("LD_LIBRARY_PATH", KP_FAKE_CUDA, 1);
  ::setenv("KERNELPRO_HOME", KP_SOURCE_DIR, 1);
  return {
      .program = KP_WORKER, .gpu = 0, .kernels = kInstruments, .confinement = Confinement::kFull};
}

/// A candidate with one kernel `k`.
inline build::Binary binary_of(const std::string& behaviour) {
  return {.cubin = "fake binary\nkernel k " + behaviour + "\n"};
}

/// k(float* to, const float* from, int count)
inline BoundStep step_of(std::uint64_t to, std::uint64_t from, int count) {
  BoundLaunch launch{.kernel = "k", .parameters = std::vector<std::byte>(20)};
  std::memcpy(&launch.parameters[0], &to, sizeof to);
  std::memcpy(&launch.parameters[8], &from, sizeof from);
  std::memcpy(&launch.parameters[16], &count, sizeof count);
  return launch;
}

/// A file beside the pretended driver, which changes how it behaves while the file is there.
class Told {
 public:
  explicit Told(const char* what) : path_(Path(KP_FAKE_CUDA) / what) {
    EXPECT_TRUE(write_file(path_, ""));
  }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;
  ~Told() { std::filesystem::remove(path_); }

 private:
  Path path_;
};

class FakeGpu : public testing::Test {
 protected:
  void SetUp() override {
    // What a test that was killed may have left (health_test.cc).
    for (const char* told : {"coarse", "slow", "wrong"})
      std::filesystem::remove(Path(KP_FAKE_CUDA) / told);
    WorkerSpec spec = fake_spec();
    spec.stop = &stop_;
    Result<std::unique_ptr<Device>> opened = GpuDevice::open(spec);
    ASSERT_TRUE(opened) << opened.error().text();
    device_ = *std::move(opened);
  }

  std::unique_ptr<Loaded> load(const std::string& behaviour) {
    auto loaded = device_->load(binary_of(behaviour));
    EXPECT_TRUE(loaded) << loaded.error().text();
    if (!loaded || std::holds_alternative<Crashed>(*loaded)) return nullptr;
    return std::get<std::unique_ptr<Loaded>>(*std::move(loaded));
  }
  std::uint64_t array(const std::vector<float>& values) {
    Result<std::uint64_t> address =
        device_->buffers().allocate(values.size() * sizeof(float), "an array");
    EXPECT_TRUE(address) << address.error().text();
    EXPECT_TRUE(device_->buffers().write(*address, std::as_bytes(std::span(values))));
    return *address;
  }
  std::vector<float> values_at(std::uint64_t address, std::size_t count) {
    std::vector<float> values(count);
    EXPECT_TRUE(device_->buffers().read(address, std::as_writable_bytes(std::span(values))));
    return values;
  }
  Mishap run(Loaded& module, const BoundStep& step, double deadline = 60) {
    Result<Mishap> mishap =
        device_->run(module, {.steps = {&step, 1}, .deadline_seconds = deadline});
    EXPECT_TRUE(mishap) << mishap.error().text();
    return mishap ? *mishap : Mishap();
  }
  /// One candidate from its load to its end, as a word.
  std::string verdict(const std::string& behaviour) {
    const std::uint64_t from = array({1, 2, 3, 4}), to = array({0, 0, 0, 0});
    std::string word = "refused";
    if (const std::unique_ptr<Loaded> module = load(behaviour)) {
      const Mishap mishap = run(*module, step_of(to, from, 4), 0.5);
      const bool right = values_at(to, 4) == std::vector<float>{1, 2, 3, 4};
      word = right ? "right" : "wrong";
      if (std::holds_alternative<TimedOut>(mishap)) word = "timed out";
      if (const auto* crashed = std::get_if<Crashed>(&mishap)) word = name_of(crashed->fault);
    }
    device_->buffers().release(from);
    device_->buffers().release(to);
    return word;
  }

  StopFlag stop_;
  std::unique_ptr<Device> device_;
};

}  // namespace kp::device::cuda
