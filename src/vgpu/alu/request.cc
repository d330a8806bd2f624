// SPDX-License-Identifier: Apache-2.0
#include "vgpu/alu/request.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "vgpu/alu/compare.h"
#include "vgpu/alu/video.h"

namespace kp::vgpu {
namespace {

bool one_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// Modifiers that do not change what is computed, where they stand.
bool is_idle(std::string_view opcode, std::string_view modifier) {
  if (modifier == "aligned" || modifier == "relaxed") return true;
  if (modifier == "rn") return opcode != "cvt";
  if (opcode == "wmma" && (modifier == "row" || modifier == "col")) return true;
  if (modifier == "lo") return one_of(opcode, {"mul", "mad", "madc", "mul24", "mad24", "dp2a"});
  return false;
}

Combine combine_of(std::string_view modifier) {
  if (modifier == "and") return Combine::kAnd;
  if (modifier == "or") return Combine::kOr;
  return modifier == "xor" ? Combine::kXor : Combine::kAlone;
}
SetTrue true_of(std::string_view type) {
  if (type == "f32") return SetTrue::kFloatOne;
  if (type == "f16" || type == "f16x2") return SetTrue::kHalfOne;
  return type == "bf16" || type == "bf16x2" ? SetTrue::kBfloatOne : SetTrue::kOnes;
}

/// setp.lt.and.f32 -> setp.lt.f32; set.lt.and.u32.f32 -> set.lt.f32; the rest goes to imm.
Request compare_request(const ptx::Instruction& instruction) {
  Request request{instruction.opcode};
  request.compares = true;
  Combine combine = Combine::kAlone;
  SetTrue yes = SetTrue::kOnes;
  const auto& modifiers = instruction.modifiers;
  for (std::size_t at = 0; at < modifiers.size(); ++at) {
    if (const Combine found = combine_of(modifiers[at]); found != Combine::kAlone) {
      combine = found;
    } else if (instruction.opcode == "set" && at + 2 == modifiers.size()) {
      yes = true_of(modifiers[at]);
    } else {
      // Unsigned comparisons have two spellings.
      const std::string_view text = modifiers[at];
      const bool old = one_of(text, {"lo", "ls", "hi", "hs"});
      request.form += '.';
      request.form += !old           ? text
                      : text == "lo" ? "lt"
                      : text == "ls" ? "le"
                      : text == "hi" ? "gt"
                                     : "ge";
    }
  }
  request.imm = compare_imm(combine, yes);
  request.combines = combine != Combine::kAlone;
  return request;
}

std::optional<VideoOp> video_op(std::string_view name) {
  constexpr std::pair<std::string_view, VideoOp> kOps[] = {
      {"vadd", VideoOp::kAdd},      {"vsub", VideoOp::kSub},
      {"vavrg", VideoOp::kAverage}, {"vabsdiff", VideoOp::kDifference},
      {"vmin", VideoOp::kMin},      {"vmax", VideoOp::kMax},
      {"eq", VideoOp::kEq},         {"ne", VideoOp::kNe},
      {"lt", VideoOp::kLt},         {"le", VideoOp::kLe},
      {"gt", VideoOp::kGt},         {"ge", VideoOp::kGe},
  };
  for (const auto& [text, op] : kOps)
    if (text == name) return op;
  return std::nullopt;
}

/// vadd4.u32.s32.s32.sat -> video4; vset4 has no type of its result, and a comparison.
Request video_request(const ptx::Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  const std::string_view name = opcode.substr(0, opcode.size() - 1);
  Request request{std::string("video") + opcode.back()};
  Video video;
  std::vector<bool> is_signed;
  auto which = video_op(name);
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier == "s32" || modifier == "u32") is_signed.push_back(modifier[0] == 's');
    if (name == "vset" && !which) which = video_op(modifier);
    video.saturates |= modifier == "sat";
    video.accumulates |= modifier == "add";
  }
  if (name == "vset") is_signed.insert(is_signed.begin(), false);
  if (!which || is_signed.size() != 3) return {};
  video.op = *which;
  video.signed_result = is_signed[0];
  video.signed_a = is_signed[1];
  video.signed_b = is_signed[2];
  request.imm = video_imm(video);
  return request;
}

bool is_video(std::string_view opcode) {
  if (opcode.size() < 2 || (opcode.back() != '2' && opcode.back() != '4')) return false;
  const auto name = opcode.substr(0, opcode.size() - 1);
  return name == "vset" || (name[0] == 'v' && video_op(name));
}

const ptx::Vector* vector_in(const ptx::Instruction& instruction, std::size_t operand) {
  if (operand >= instruction.operands.size()) return nullptr;
  return std::get_if<ptx::Vector>(&instruction.operands[operand].value);
}
std::string packing(const ptx::Instruction& instruction) {
  if (const auto* parts = vector_in(instruction, 0))
    return ".unpack" + std::to_string(parts->parts.size());
  if (const auto* parts = vector_in(instruction, 1))
    return ".pack" + std::to_string(parts->parts.size());
  return {};
}

}  // namespace

Request request_of(const ptx::Instruction& instruction) {
  if (one_of(instruction.opcode, {"setp", "set"})) return compare_request(instruction);
  if (is_video(instruction.opcode)) return video_request(instruction);
  Request request{instruction.opcode};
  for (const std::string& modifier : instruction.modifiers)
    if (!is_idle(instruction.opcode, modifier)) request.form += '.' + modifier;
  if (instruction.opcode == "mov") request.form += packing(instruction);
  if (instruction.opcode == "lop3") {
    // d, a, b, c, table [, q]
    const auto* table = instruction.operands.size() > 4
                            ? std::get_if<ptx::Immediate>(&instruction.operands[4].value)
                            : nullptr;
    if (table == nullptr) return {};
    request.imm = static_cast<std::uint32_t>(table->bits);
  }
  return request;
}

}  // namespace kp::vgpu
