// SPDX-License-Identifier: Apache-2.0
// A register file of one warp for the tests of this folder: sources a, b, c, d and results at fixed
// places.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "vgpu/alu/alu.h"
#include "vgpu/alu/rows.h"

namespace kp::vgpu::testing {

inline ptx::Instruction parse_form(const std::string& form) {
  ptx::Instruction instruction;
  std::size_t at = 0;
  for (bool first = true; at <= form.size(); first = false) {
    const std::size_t dot = std::min(form.find('.', at), form.size());
    const std::string part = form.substr(at, dot - at);
    if (first) {
      instruction.opcode = part;
    } else {
      instruction.modifiers.push_back(part);
    }
    at = dot + 1;
  }
  return instruction;
}

class Warp {
 public:
  static constexpr std::uint32_t kRow = 1024;  // room for every operand
  Warp() : file_(6 * kRow) {}

  explicit Warp(const std::string& form) : Warp(parse_form(form)) {}
  Warp(const ptx::Instruction& instruction, AluLevel level = best_alu_level()) : file_(6 * kRow) {
    choice_ = select_alu(instruction, level);
  }
  bool known() const { return choice_.has_value(); }
  const AluChoice& choice() const { return *choice_; }
  unsigned bytes(unsigned operand) const { return choice_->lane_bytes[operand]; }

  /// operand: 0 dst, 1 dst2, 2 a, 3 b, 4 c, 5 d
  void set(unsigned operand, unsigned lane, std::uint64_t value) {
    write_lane(&file_[operand * kRow], lane, bytes(operand), value);
  }
  void fill(unsigned operand, std::uint64_t value) {
    fill_row(&file_[operand * kRow], bytes(operand), value);
  }
  std::uint64_t get(unsigned operand, unsigned lane) const {
    return read_lane(&file_[operand * kRow], lane, bytes(operand));
  }
  std::byte* row(unsigned operand) { return &file_[operand * kRow]; }
  const std::vector<std::byte>& file() const { return file_; }

  void run(std::uint32_t active = 0xffff'ffff) {
    Operands op{0, kRow, 2 * kRow, 3 * kRow, 4 * kRow, 5 * kRow, choice_->imm};
    if (bytes(1) == 0) op.dst2 = kNone;
    choice_->run(file_.data(), op, active);
  }

 private:
  std::vector<std::byte> file_;
  std::optional<AluChoice> choice_;
};

/// One lane through `form`; immediates of the text go last in `table`.
inline std::uint64_t apply(const std::string& form, std::vector<std::uint64_t> sources) {
  Warp warp(form);
  if (!warp.known()) return 0xdead'dead'dead'deadU;
  for (unsigned at = 0; at < sources.size(); ++at) warp.fill(2 + at, sources[at]);
  warp.run();
  return warp.get(0, 17);
}
inline float apply_f32(const std::string& form, std::vector<float> sources) {
  std::vector<std::uint64_t> bits;
  for (const float x : sources) bits.push_back(std::bit_cast<std::uint32_t>(x));
  return std::bit_cast<float>(static_cast<std::uint32_t>(apply(form, bits)));
}
inline double apply_f64(const std::string& form, std::vector<double> sources) {
  std::vector<std::uint64_t> bits;
  for (const double x : sources) bits.push_back(std::bit_cast<std::uint64_t>(x));
  return std::bit_cast<double>(apply(form, bits));
}

}  // namespace kp::vgpu::testing
