// SPDX-License-Identifier: Apache-2.0
// For tests of the executor: a small device, kernels from src/vgpu/kernels, tensors in its memory.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "ptx/parse.h"
#include "vgpu/machine.h"

namespace kp::vgpu {

inline DeviceSpec small_device() {
  DeviceSpec spec;
  spec.name = "small";
  spec.sm_count = 4;
  spec.warps_per_sm = 64;
  spec.blocks_per_sm = 32;
  spec.threads_per_block = 1024;
  spec.barriers_per_sm = 64;
  spec.registers_per_sm = 65536;
  spec.registers_per_thread = 255;
  spec.shared_per_sm = 228 << 10;
  spec.shared_per_block = 227 << 10;
  spec.shared_static = 48 << 10;
  spec.shared_reserved = 1 << 10;
  spec.shared_granularity = 128;
  spec.l1_bytes = 256 << 10;
  spec.l2_bytes = 1 << 20;
  spec.memory_bytes = std::int64_t{1} << 33;
  spec.clock_hz = 1.5e9;
  return spec;
}

class MachineTest : public testing::Test {
 protected:
  /// Kernels of src/vgpu/kernels/FILE.ptx.
  explicit MachineTest(const std::string& file) {
    auto text = read_file(Path(KP_SOURCE_DIR) / "src/vgpu/kernels" / (file + ".ptx"));
    if (text) module_ = ptx::parse(*text, file + ".ptx");
  }
  explicit MachineTest(Result<ptx::Module> module) : module_(std::move(module)) {}
  void SetUp() override { ASSERT_TRUE(module_) << module_.error().text(); }

  const Program& program(const std::string& kernel) {
    auto [at, is_new] = programs_.try_emplace(kernel);
    if (!is_new) return at->second;
    auto lowered = lower(*module_, kernel);
    EXPECT_TRUE(lowered) << lowered.error().text();
    if (lowered) at->second = *std::move(lowered);
    return at->second;
  }

  template <class T>
  std::uint64_t tensor(const std::string& name, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    auto address = memory_.allocate(bytes.size(), "tensor " + name);
    EXPECT_TRUE(address);
    memory_.write(*address, bytes);
    return *address;
  }
  /// Values that nobody has defined.
  template <class T>
  std::uint64_t output(const std::string& name, std::size_t count) {
    auto address = memory_.allocate(count * sizeof(T), "tensor " + name);
    EXPECT_TRUE(address);
    return *address;
  }
  template <class T>
  std::vector<T> values(std::uint64_t address, std::size_t count) {
    std::vector<T> result(count);
    memory_.read(address, std::as_writable_bytes(std::span(result)));
    return result;
  }

  /// Launches with arguments in the order of the parameters.
  template <class... Arguments>
  LaunchResult launch(const std::string& kernel, Grid grid, const RunOptions& options,
                      Arguments... arguments) {
    const Program& code = program(kernel);
    std::vector<std::byte> parameters(code.parameter_bytes);
    std::size_t i = 0;
    const auto put = [&](const auto& value) {
      ASSERT_LT(i, code.parameters.size());
      ASSERT_EQ(sizeof value, code.parameters[i].bytes) << code.parameters[i].name;
      std::memcpy(parameters.data() + code.parameters[i++].offset, &value, sizeof value);
    };
    (put(arguments), ...);
    grid.parameters = parameters;
    auto result = machine_.launch(code, grid, options);
    EXPECT_TRUE(result) << result.error().text();
    return result ? std::move(*result) : LaunchResult{};
  }

  static Grid grid_of(std::uint32_t blocks, std::uint32_t threads) {
    return {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
  }

  DeviceSpec spec_ = small_device();
  Memory memory_{std::uint64_t{1} << 33};
  Machine machine_{spec_, memory_};

 private:
  Result<ptx::Module> module_ = fail(ErrorCode::kNotFound, "kernels not read");
  std::map<std::string, Program> programs_;
};

}  // namespace kp::vgpu
