// SPDX-License-Identifier: Apache-2.0
// The device over a real GPU, kernels for it, and arrays.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "build/compile.h"
#include "device/cuda.h"
#include "device/hardware.h"

namespace kp::device {

inline constexpr const char* kSource = R"(
extern "C" __global__ void copy(float* to, const float* from, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i];
}
extern "C" __global__ void overrun(float* to, const float* from, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i + count];
}
extern "C" __global__ void misaligned(float* to, const float* from, int) {
  to[0] = *reinterpret_cast<const float*>(reinterpret_cast<const char*>(from) + 1);
}
extern "C" __global__ void trapped(float*, const float*, int) { asm volatile("trap;"); }
extern "C" __global__ void hang(float* to, const float*, int) {
  while (*static_cast<volatile float*>(to) >= -1e30f) {}
}
extern "C" __global__ void slow(float* to, const float*, int) {
  const long long start = clock64();
  while (clock64() - start < 2000000) {}
  if (start == 0) to[0] = 1;
}
extern "C" __global__ void leftover(float* to, const float*, int) {
  __shared__ volatile unsigned room[8192];
  unsigned found = 0;
  for (int k = threadIdx.x; k < 8192; k += blockDim.x) {
    found += room[k] == 0x600DF00Du;
    room[k] = 0x600DF00Du;
  }
  atomicAdd(to, static_cast<float>(found));
}
extern "C" __global__ void beyond(float* to, const float* from, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i + 1] == 1234.5678f ? 0 : from[i];
}
extern "C" __global__ void wrong(float* to, const float*, int) { to[0] = 7; }
)";

/// One device for all tests; null where there is no GPU.
inline Device* the_gpu() {
  static const std::unique_ptr<Device> device = [] {
    Result<std::unique_ptr<Device>> opened = open_cuda("");
    if (!opened) std::fprintf(stderr, "%s\n", opened.error().text().c_str());
    return opened ? *std::move(opened) : nullptr;
  }();
  return device.get();
}

inline const build::Binary& the_binary() {
  static const build::Binary binary = [] {
    build::Binary made;
    const auto toolchain = build::find_toolchain();
    if (!toolchain) return made;
    const auto outcome = build::compile({.source = kSource,
                                         .name = "kernels.cu",
                                         .architecture = the_gpu()->describe().spec.architecture},
                                        *toolchain);
    if (!outcome || !std::holds_alternative<build::Compiled>(*outcome)) return made;
    made.cubin = std::get<build::Compiled>(*outcome).cubin;
    EXPECT_FALSE(made.cubin.empty()) << std::get<build::Compiled>(*outcome).log;
    return made;
  }();
  return binary;
}

class Gpu : public testing::Test {
 protected:
  static constexpr int kCount = 1024;

  void SetUp() override {
    if (the_gpu() == nullptr) GTEST_SKIP() << "skipped: no device";
    values_.resize(kCount);
    for (int i = 0; i < kCount; ++i) values_[static_cast<std::size_t>(i)] = static_cast<float>(i);
    from_ = array(values_);
    to_ = array(std::vector<float>(kCount));
  }
  void TearDown() override {
    if (the_gpu() == nullptr) return;
    the_gpu()->buffers().release(from_);
    the_gpu()->buffers().release(to_);
  }
  std::uint64_t array(const std::vector<float>& values) {
    const auto address = the_gpu()->buffers().allocate(values.size() * sizeof(float), "an array");
    EXPECT_TRUE(address) << address.error().text();
    write(*address, values);
    return *address;
  }
  void write(std::uint64_t address, const std::vector<float>& values) {
    EXPECT_TRUE(the_gpu()->buffers().write(address, std::as_bytes(std::span(values))));
  }
  std::vector<float> result() {
    std::vector<float> values(kCount);
    const auto read = the_gpu()->buffers().read(to_, std::as_writable_bytes(std::span(values)));
    EXPECT_TRUE(read) << read.error().text();
    return values;
  }
  BoundStep step(const std::string& kernel) const {
    BoundLaunch launch{.kernel = kernel, .parameters = std::vector<std::byte>(20)};
    const int count = kCount;
    std::memcpy(&launch.parameters[0], &to_, sizeof to_);
    std::memcpy(&launch.parameters[8], &from_, sizeof from_);
    std::memcpy(&launch.parameters[16], &count, sizeof count);
    launch.shape.grid[0] = kCount / 256;
    launch.shape.block[0] = 256;
    return launch;
  }
  std::unique_ptr<Loaded> load() {
    auto loaded = the_gpu()->load(the_binary());
    EXPECT_TRUE(loaded) << loaded.error().text();
    if (!loaded || !std::holds_alternative<std::unique_ptr<Loaded>>(*loaded)) return nullptr;
    return std::get<std::unique_ptr<Loaded>>(*std::move(loaded));
  }
  Mishap run(Loaded& module, const BoundStep& what, double deadline = 30) {
    const Result<Mishap> mishap =
        the_gpu()->run(module, {.steps = {&what, 1}, .deadline_seconds = deadline});
    EXPECT_TRUE(mishap) << mishap.error().text();
    return mishap ? *mishap : Mishap();
  }
  /// One candidate from its load to its end, as a word.
  std::string verdict(const std::string& kernel) {
    write(to_, std::vector<float>(kCount));
    const std::unique_ptr<Loaded> module = load();
    if (!module) return "not loaded";
    const Mishap mishap = run(*module, step(kernel), 1.0);
    if (const auto* crashed = std::get_if<Crashed>(&mishap))
      return std::string(name_of(crashed->fault));
    if (std::holds_alternative<TimedOut>(mishap)) return "timed out";
    return result() == values_ ? "right" : "wrong";
  }

  std::vector<float> values_;
  std::uint64_t from_ = 0, to_ = 0;
};

}  // namespace kp::device
