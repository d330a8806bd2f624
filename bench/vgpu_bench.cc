// SPDX-License-Identifier: Apache-2.0
// Speed of the virtual GPU in thread instructions per second, by mode, on one host thread: a kernel
// of arithmetic alone, and kernels that a compiler made.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

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

/// Arithmetic alone: chains of fma and of integer operations, 64 rounds of 16 for each thread.
constexpr std::string_view kArithmetic = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry arithmetic(.param .u64 out)
{
.reg .pred %p<3>; .reg .f32 %f<9>; .reg .b32 %r<12>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.s32 %r3, %r2, 256, %r1;
cvt.rn.f32.s32 %f1, %r1; mov.f32 %f2, 0f3F7FF972; mov.f32 %f3, 0f3DCCCCCD; mov.f32 %f4, %f1;
mov.u32 %r4, 0; mov.u32 %r5, %r3; mov.u32 %r6, 1;
LOOP:
fma.rn.f32 %f1, %f1, %f2, %f3; add.s32 %r5, %r5, %r6; fma.rn.f32 %f4, %f4, %f2, %f3;
xor.b32 %r6, %r6, %r5; fma.rn.f32 %f1, %f1, %f2, %f4; shl.b32 %r7, %r5, 3;
fma.rn.f32 %f4, %f4, %f2, %f3; add.s32 %r6, %r6, %r7; fma.rn.f32 %f1, %f1, %f2, %f3;
mad.lo.s32 %r5, %r5, 5, %r6; fma.rn.f32 %f4, %f4, %f2, %f1; and.b32 %r8, %r6, 255;
add.f32 %f1, %f1, %f4; add.s32 %r5, %r5, %r8; mul.f32 %f4, %f4, %f2; max.s32 %r6, %r5, %r8;
add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, 64; @%p1 bra LOOP;
cvt.rn.f32.s32 %f5, %r6; add.f32 %f1, %f1, %f4; add.f32 %f1, %f1, %f5;
mul.wide.s32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2; st.global.f32 [%rd3], %f1;
ret;
}
)";

/// Kernels of the test data over two square matrices of floats.
class Stage {
 public:
  static constexpr std::uint32_t kSide = 1024;

  Stage()
      : spec_(must(read_device_spec(KP_SOURCE_DIR "/specs/h200.toml"))),
        module_(
            must(ptx::parse(must(read_text(KP_SOURCE_DIR "/src/device/testdata/kernels.ptx"))))),
        arithmetic_(must(ptx::parse(kArithmetic))),
        memory_(1ull << 30),
        machine_(spec_, memory_) {
    for (std::uint64_t& address : matrices_) {
      address = must(memory_.allocate(std::uint64_t{kSide} * kSide * sizeof(float), "matrix"));
    }
  }

  Program lowered(const std::string& kernel) const {
    return must(lower(kernel == "arithmetic" ? arithmetic_ : module_, kernel));
  }

  LaunchResult launch(const Program& program, Grid grid, Mode mode) {
    std::vector<std::byte> parameters(program.parameter_bytes);
    std::size_t pointer = 0;
    for (const ParameterSlot& slot : program.parameters) {
      const std::uint64_t value = slot.bytes == 8 ? matrices_[pointer++] : number_for(slot);
      std::memcpy(parameters.data() + slot.offset, &value, slot.bytes);
    }
    grid.parameters = parameters;
    return must(machine_.launch(program, grid, {.mode = mode, .threads = 1}));
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
  ptx::Module module_, arithmetic_;
  Memory memory_;
  Machine machine_;
  std::array<std::uint64_t, 3> matrices_{};
};

struct Case {
  const char* kernel;
  Grid grid;
};
const std::array<Case, 4> kCases{{
    {"arithmetic", {.grid = {512}, .block = {256}}},
    {"scale", {.grid = {Stage::kSide * Stage::kSide / 256}, .block = {256}}},
    {"transpose32", {.grid = {Stage::kSide / 32, Stage::kSide / 32}, .block = {32, 8}}},
    {"multiply", {.grid = {4, Stage::kSide / 16}, .block = {16, 16}}},
}};

Grid whole(Grid grid) {
  for (std::uint32_t& extent : grid.grid) extent = extent == 0 ? 1 : extent;
  for (std::uint32_t& extent : grid.block) extent = extent == 0 ? 1 : extent;
  return grid;
}

/// Memory of the process at its peak. Run one case (--benchmark_filter) to see its own.
double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

void run(benchmark::State& state, const Case& which, Mode mode) {
  static const double before = peak_megabytes();
  Stage stage;
  const Program program = stage.lowered(which.kernel);
  std::uint64_t warp_instructions = 0;
  for (auto _ : state) {
    warp_instructions += stage.launch(program, whole(which.grid), mode).instructions;
  }
  state.counters["thread_inst"] = benchmark::Counter(
      static_cast<double>(warp_instructions) * kLanes, benchmark::Counter::kIsRate);
  state.counters["memory_MB"] = peak_megabytes() - before;
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
