// SPDX-License-Identifier: Apache-2.0
// Speed of the virtual GPU in thread instructions per second, by mode, on kernels that a compiler
// made.
#include <benchmark/benchmark.h>

#include <array>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "base/file.h"
#include "ptx/parse.h"
#include "vgpu/machine.h"

namespace {

using namespace kp;
using namespace kp::vgpu;

template <class T>
T must(Result<T> result) {
  KP_CHECK(result.has_value(), result ? "" : result.error().text());
  return *std::move(result);
}

/// Kernels of the test data over two square matrices of floats.
class Stage {
 public:
  static constexpr std::uint32_t kSide = 1024;

  Stage()
      : spec_(must(read_device_spec(KP_SOURCE_DIR "/specs/h200.toml"))),
        module_(
            must(ptx::parse(must(read_text(KP_SOURCE_DIR "/src/device/testdata/kernels.ptx"))))),
        memory_(1ull << 30),
        machine_(spec_, memory_) {
    for (std::uint64_t& address : matrices_) {
      address = must(memory_.allocate(std::uint64_t{kSide} * kSide * sizeof(float), "matrix"));
    }
  }

  Program lowered(const char* kernel) const { return must(lower(module_, kernel)); }

  LaunchResult launch(const Program& program, Grid grid, Mode mode) {
    std::vector<std::byte> parameters(program.parameter_bytes);
    std::size_t pointer = 0;
    for (const ParameterSlot& slot : program.parameters) {
      const std::uint64_t value = slot.bytes == 8 ? matrices_[pointer++] : number_for(slot);
      std::memcpy(parameters.data() + slot.offset, &value, slot.bytes);
    }
    grid.parameters = parameters;
    return must(machine_.launch(program, grid, {.mode = mode}));
  }

 private:
  static std::uint64_t number_for(const ParameterSlot& slot) {
    if (slot.type == ptx::Type::kF32) return std::bit_cast<std::uint32_t>(2.0f);
    return slot_counts_elements(slot) ? kSide * kSide : kSide;
  }
  static bool slot_counts_elements(const ParameterSlot& slot) {
    return slot.name.starts_with("scale");
  }

  DeviceSpec spec_;
  ptx::Module module_;
  Memory memory_;
  Machine machine_;
  std::array<std::uint64_t, 3> matrices_{};
};

struct Case {
  const char* kernel;
  Grid grid;
};
const std::array<Case, 3> kCases{{
    {"scale", {.grid = {Stage::kSide * Stage::kSide / 256}, .block = {256}}},
    {"transpose32", {.grid = {Stage::kSide / 32, Stage::kSide / 32}, .block = {32, 8}}},
    {"multiply", {.grid = {4, Stage::kSide / 16}, .block = {16, 16}}},
}};

Grid whole(Grid grid) {
  for (std::uint32_t& extent : grid.grid) extent = extent == 0 ? 1 : extent;
  for (std::uint32_t& extent : grid.block) extent = extent == 0 ? 1 : extent;
  return grid;
}

void run(benchmark::State& state, const Case& which, Mode mode) {
  Stage stage;
  const Program program = stage.lowered(which.kernel);
  std::uint64_t warp_instructions = 0;
  for (auto _ : state) {
    warp_instructions += stage.launch(program, whole(which.grid), mode).instructions;
  }
  state.counters["thread_inst"] = benchmark::Counter(
      static_cast<double>(warp_instructions) * kLanes, benchmark::Counter::kIsRate);
}

}  // namespace

int main(int argc, char** argv) {
  for (const Case& which : kCases) {
    for (const auto& [name, mode] :
         {std::pair{"values", Mode::kValues}, {"check", Mode::kCheck}, {"count", Mode::kCount}}) {
      benchmark::RegisterBenchmark(
          (std::string(which.kernel) + "/" + name).c_str(),
          [&which, mode = mode](benchmark::State& state) { run(state, which, mode); })
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
