// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the virtual GPU: thread-instructions a second (items) of one form, all lanes active
// or every other one. Argument of each benchmark: 0 baseline x86-64, 1 x86-64-v3.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "vgpu/alu/alu.h"
#include "vgpu/alu/rows.h"

namespace {

using namespace kp::vgpu;

kp::ptx::Instruction instruction_of(std::string form) {
  kp::ptx::Instruction instruction;
  std::vector<std::string> parts(1);
  for (const char c : form) c == '.' ? void(parts.emplace_back()) : void(parts.back() += c);
  instruction.opcode = parts[0];
  instruction.modifiers.assign(parts.begin() + 1, parts.end());
  return instruction;
}

void run(benchmark::State& state, const std::string& form, std::uint32_t active) {
  const auto level = state.range(0) == 0 ? AluLevel::kBaseline : AluLevel::kV3;
  const auto choice = select_alu(instruction_of(form), level);
  if (!choice || (level == AluLevel::kV3 && best_alu_level() != level)) {
    state.SkipWithError("this host or the arithmetic lacks it");
    return;
  }
  constexpr std::uint32_t kRoom = 2048;
  std::vector<std::byte> file(6 * kRoom);
  for (unsigned operand = 0; operand < 6; ++operand)
    for (unsigned at = 0; at < kRoom; at += 128)
      fill_row(&file[operand * kRoom + at], 4, 0x3f80'1234);
  const Operands op{0, kNone, 2 * kRoom, 3 * kRoom, 4 * kRoom, 5 * kRoom, choice->imm};
  for (auto _ : state) {
    choice->run(file.data(), op, active);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * __builtin_popcount(active));
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* form :
       {"add.s32", "fma.rn.f32", "fma.rn.ftz.f32", "fma.rz.f32", "setp.lt.s32", "selp.f32",
        "mad.wide.s32", "cvt.rn.f16.f32", "fma.rn.f16x2", "ex2.approx.ftz.f32", "div.rn.f32",
        "fma.rn.f64", "shfl.sync.bfly.b32", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"}) {
    for (const std::uint32_t active : {0xffff'ffffU, 0x5555'5555U}) {
      const std::string name = std::string(form) + (active == 0xffff'ffffU ? "/all" : "/half");
      benchmark::RegisterBenchmark(name.c_str(), run, std::string(form), active)->Arg(0)->Arg(1);
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
