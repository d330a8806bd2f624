// SPDX-License-Identifier: Apache-2.0
// Every form against what an H200 computes: testdata/h200.txt, which tools/alu-golden explains.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>

#include "base/text.h"
#include "vgpu/alu/warp_fixture.h"

namespace kp::vgpu {
namespace {

using testing::parse_form;

constexpr std::uint64_t kCount = 4096, kEdgeSide = 48;
using Edges = std::map<unsigned, std::vector<std::uint64_t>>;

struct Row {
  std::string form;
  std::vector<std::string> types;
  std::uint64_t hash = 0;
};
struct Table {
  Edges edges;
  std::vector<Row> rows;
};

Table read_table() {
  std::ifstream file(std::string(KP_SOURCE_DIR) + "/src/vgpu/alu/testdata/h200.txt");
  Table table;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    Row row;
    words >> row.form;
    if (row.form == "edges") {
      unsigned bits = 0;
      words >> bits >> std::hex;
      for (std::uint64_t value = 0; words >> value;) table.edges[bits].push_back(value);
      continue;
    }
    for (std::string word; words >> word;) row.types.push_back(word);
    row.hash = std::stoull(row.types.back(), nullptr, 16);
    row.types.pop_back();
    table.rows.push_back(row);
  }
  return table;
}

std::uint64_t mix(std::uint64_t number) {
  std::uint64_t x = (number + 1) * 0x9E3779B97F4A7C15U;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U;
  x = (x ^ x >> 27) * 0x94D049BB133111EBU;
  return x ^ x >> 31;
}

/// Moderate numbers: a format's fraction and sign, and an exponent field near its bias.
std::uint64_t moderate(char kind, std::uint64_t x) {
  const std::uint64_t high = x >> 56 & 15, low = x >> 52 & 15;
  if (kind == 'H') return (x & 0x83FF83FF) | (8 + high) << 10 | (8 + low) << 26;
  if (kind == 'B') return (x & 0x807F807F) | (120 + high) << 7 | (120 + low) << 23;
  return (x & 0x807FFFFF) | (120 + high) << 23;
}

std::uint64_t sample(const Edges& edges, char kind, unsigned slot, std::uint64_t index) {
  const std::uint64_t x = mix(index * 16 + slot);
  if (kind == 'p') return x & 1;
  if (kind == 'H' || kind == 'B' || kind == 'T') return moderate(kind, x);
  const unsigned bits = kind == 'h' ? 16 : kind == 'r' ? 32 : 64;
  const auto& table = edges.at(bits);
  if (slot < 2 && index < kEdgeSide * kEdgeSide)
    return table[(slot == 0 ? index / kEdgeSide : index % kEdgeSide) % table.size()];
  const std::uint64_t choice = x >> 61;
  if (choice < 2) return table[(x & 0xFFFF) % table.size()];
  if (choice == 2) return x & 127;
  std::uint64_t value = bits == 64 ? x : x & ((std::uint64_t{1} << bits) - 1);
  if (choice == 3) {
    const unsigned fraction = bits == 16 ? 10 : bits == 32 ? 23 : 52;
    const std::uint64_t bias = bits == 16 ? 15 : bits == 32 ? 127 : 1023;
    value &= std::uint64_t{1} << (bits - 1) | ((std::uint64_t{1} << fraction) - 1);
    value |= (bias - 8 + (x >> 56 & 15)) << fraction;
  }
  return value;
}

unsigned registers_of(const std::string& kind) {
  return kind.size() > 1 ? static_cast<unsigned>(std::stoi(kind.substr(1))) : 1;
}
unsigned bytes_of(char kind) { return kind == 'p' ? 1 : kind == 'h' ? 2 : kind == 'd' ? 8 : 4; }

/// The register file and the places of one row's operands.
class Golden {
 public:
  Golden(const Row& row, const Edges& edges, AluLevel level);
  bool known() const { return choice_.has_value() || !chain_.empty(); }
  std::uint64_t hash();

 private:
  struct Register {
    std::uint32_t offset;
    char kind;
  };
  std::uint32_t place(const std::string& kind, std::vector<Register>& list, bool split);
  void place_sources(const Row& row, bool is_mov);

  void place_chain(const Row& row, AluLevel level);

  const Edges& edges_;
  std::optional<AluChoice> choice_;
  Operands op_;
  std::vector<std::pair<AluChoice, Operands>> chain_;  // instead, over the carry flag
  std::vector<Register> sources_, results_;
  std::vector<std::byte> file_;
  std::uint32_t next_ = 0;
};

std::uint32_t Golden::place(const std::string& kind, std::vector<Register>& list, bool split) {
  const std::uint32_t first = next_;
  for (unsigned at = 0; at < registers_of(kind); ++at) {
    list.push_back({next_, kind[0]});
    next_ += row_bytes(bytes_of(kind[0]));
  }
  // Lowering gives the parts of a mov places of their own.
  if (split && registers_of(kind) == 2) op_.b = first + row_bytes(bytes_of(kind[0]));
  return first;
}

void Golden::place_sources(const Row& row, bool is_mov) {
  std::uint32_t* const slots[] = {&op_.a, &op_.b, &op_.c, &op_.d};
  unsigned at = 0;
  for (std::size_t i = 1; i < row.types.size(); ++i) {
    const bool immediate = std::isalpha(row.types[i][0]) == 0;
    if (immediate && row.form.starts_with("lop3")) continue;
    if (immediate) {
      // The member mask of a collective, which only the executor reads.
      op_.d = kNone;
      continue;
    }
    *slots[at++] = place(row.types[i], sources_, is_mov);
  }
}

void Golden::place_chain(const Row& row, AluLevel level) {
  const auto forms = split(row.form, '+');
  const auto results = split(row.types[0], '|');
  const std::uint32_t carry = next_;
  next_ += row_bytes(1);
  for (std::size_t i = 0, source = 1; i < forms.size(); ++i) {
    const auto choice = select_alu(parse_form(std::string(forms[i])), level);
    if (!choice) return chain_.clear();
    Operands op;
    op.dst = place(std::string(results[i]), results_, false);
    if (choice->writes_carry) op.dst2 = carry;
    std::uint32_t* const slots[] = {&op.a, &op.b, &op.c, &op.d};
    const std::size_t count = forms[i].starts_with("mad") ? 3 : 2;
    for (std::size_t k = 0; k < count; ++k) *slots[k] = place(row.types[source++], sources_, false);
    if (choice->reads_carry) *slots[count] = carry;
    chain_.emplace_back(*choice, op);
  }
  file_.resize(next_);
}

Golden::Golden(const Row& row, const Edges& edges, AluLevel level) : edges_(edges) {
  if (row.form.find('+') != std::string::npos) {
    place_chain(row, level);
    return;
  }
  ptx::Instruction instruction = parse_form(row.form);
  const bool is_mov = instruction.opcode == "mov";
  instruction.operands.resize(5);
  if (row.form.starts_with("lop3"))
    instruction.operands[4].value = ptx::Immediate{std::stoull(row.types.back(), nullptr, 16)};
  for (std::size_t i = 0; is_mov && i < row.types.size(); ++i) {
    if (registers_of(row.types[i]) > 1)
      instruction.operands[i].value =
          ptx::Vector{std::vector<ptx::Operand>(registers_of(row.types[i]))};
  }
  choice_ = select_alu(instruction, level);
  if (!choice_) return;
  const auto bar = row.types[0].find('|');
  op_.dst = place(row.types[0].substr(0, bar), results_, false);
  if (bar != std::string::npos) op_.dst2 = place(row.types[0].substr(bar + 1), results_, false);
  if (is_mov && registers_of(row.types[0]) == 2) op_.dst2 = results_[1].offset;
  place_sources(row, is_mov);
  op_.imm = choice_->imm;
  file_.resize(next_);
}

std::uint64_t Golden::hash() {
  std::uint64_t digest = 0xCBF29CE484222325U;
  for (std::uint64_t first = 0; first < kCount; first += kLanes) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (unsigned slot = 0; slot < sources_.size(); ++slot)
        write_lane(&file_[sources_[slot].offset], lane, bytes_of(sources_[slot].kind),
                   sample(edges_, sources_[slot].kind, slot, first + lane));
    if (choice_) choice_->run(file_.data(), op_, 0xffff'ffff);
    for (const auto& [choice, op] : chain_) choice.run(file_.data(), op, 0xffff'ffff);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      for (const Register& result : results_)
        digest = (digest ^ read_lane(&file_[result.offset], lane, bytes_of(result.kind))) *
                 0x100000001B3U;
  }
  return digest;
}

TEST(Golden, EveryFormComputesWhatAnH200ComputesAtBothLevels) {
  const Table table = read_table();
  ASSERT_GT(table.rows.size(), 1000U);
  std::vector<AluLevel> levels = {AluLevel::kBaseline};
  if (best_alu_level() == AluLevel::kV3) levels.push_back(AluLevel::kV3);
  for (const Row& row : table.rows) {
    for (const AluLevel level : levels) {
      Golden golden(row, table.edges, level);
      ASSERT_TRUE(golden.known()) << row.form;
      EXPECT_EQ(golden.hash(), row.hash) << row.form << (level == AluLevel::kV3 ? " v3" : " base");
    }
  }
}

}  // namespace
}  // namespace kp::vgpu
