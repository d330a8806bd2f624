// SPDX-License-Identifier: Apache-2.0
// Ways to a lowered program, and questions to it, for the tests of lowering.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/file.h"
#include "ptx/parse.h"
#include "vgpu/memory.h"
#include "vgpu/program.h"

namespace kp::vgpu {
inline constexpr std::string_view kHead = ".version 9.0\n.target sm_90\n.address_size 64\n";

inline Result<Program> lower_text(const std::string& text, std::string_view kernel = "k") {
  const auto module = ptx::parse(std::string(kHead) + text);
  EXPECT_TRUE(module) << module.error().text();
  if (!module) return fail(ErrorCode::kInvalidInput, "does not parse");
  return lower(*module, kernel);
}

/// A kernel with the usual registers, one pointer parameter, and these lines.
inline std::string kernel(const std::string& lines) {
  return ".visible .entry k(.param .u64 k_param_0)\n{\n.reg .pred %p<9>;\n.reg .b16 %rs<9>;\n"
         ".reg .b32 %r<99>;\n.reg .f32 %f<99>;\n.reg .b64 %rd<99>;\n.reg .f64 %fd<9>;\n" +
         lines + "\n}\n";
}

inline Program lowered(const std::string& lines) {
  auto program = lower_text(kernel(lines));
  EXPECT_TRUE(program) << program.error().text();
  return program ? *std::move(program) : Program{};
}

inline std::string error_of(const std::string& lines) {
  const auto program = lower_text(kernel(lines));
  return program ? "no error" : program.error().text();
}

inline Program compiled(std::string_view kernel_name) {
  const auto text = read_file(Path(KP_SOURCE_DIR) / "src/ptx/testdata/kernels.ptx");
  const auto module = ptx::parse(text.value());
  auto program = lower(module.value(), kernel_name);
  EXPECT_TRUE(program) << program.error().text();
  return program ? *std::move(program) : Program{};
}

inline std::vector<Instruction> of_kind(const Program& program, Kind kind) {
  std::vector<Instruction> found;
  std::copy_if(program.code.begin(), program.code.end(), std::back_inserter(found),
               [&](const Instruction& one) { return one.kind == kind; });
  return found;
}

inline const Access& access_of(const Program& program, const Instruction& instruction) {
  return program.accesses.at(instruction.extra);
}

/// The bits of the constant in that register.
inline std::optional<std::uint64_t> constant_at(const Program& program, std::uint32_t offset) {
  for (const auto& constant : program.constants) {
    if (constant.offset == offset) return constant.bits;
  }
  return std::nullopt;
}

/// What holds for every program.
inline void check(const Program& program) {
  ASSERT_EQ(program.leader.size(), program.code.size());
  ASSERT_FALSE(program.code.empty());
  EXPECT_EQ(program.leader[0], 1);
  const auto is_end = [](Kind kind) {
    return kind == Kind::kExit || kind == Kind::kBranch || kind == Kind::kBranchTable;
  };
  EXPECT_TRUE(is_end(program.code.back().kind) && program.code.back().guard == kNone);
  for (const auto& one : program.code) {
    const std::uint32_t numbers[] = {one.op.dst, one.op.dst2, one.op.a,
                                     one.op.b,   one.op.c,    one.op.d};
    for (int i = 0; i < 6; ++i) {
      if (numbers[i] == kNone) continue;
      EXPECT_EQ(numbers[i] % kSlot, 0u);
      EXPECT_GT(one.width[i], 0);
      EXPECT_LE(numbers[i] + one.width[i] * kSlot, program.file_bytes);
    }
    if (one.kind == Kind::kAlu) {
      EXPECT_NE(one.alu, nullptr);
    }
    if (one.kind == Kind::kBranch) {
      EXPECT_EQ(program.leader.at(one.extra), 1);
    }
    EXPECT_LT(one.line, program.lines.size());
  }
  for (const auto& table : program.tables) {
    for (const auto target : table) EXPECT_EQ(program.leader.at(target), 1);
  }
}

}  // namespace kp::vgpu
