// SPDX-License-Identifier: Apache-2.0
#include "propose/row_stage.h"

#include <fmt/format.h>

#include <algorithm>

#include "propose/pattern.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

constexpr std::int64_t kMostStaged = 32768;  // bytes of shared memory

// The barrier in front: nobody may still read the rows before these.
constexpr std::string_view kStagedLoop = R"($LAST
for (int kp_first = $FIRST; kp_first < kp_end; kp_first += $ROWS) {
  __syncthreads();
  $FILLS
  __syncthreads();
  for (int $J = kp_first; $J < $BOUND && $J < kp_first + $ROWS; ++$J) {)";

constexpr std::string_view kLast = R"(__shared__ int kp_end;  // of the block
if (threadIdx.x == 0) kp_end = $FIRST;
__syncthreads();
atomicMax(&kp_end, $BOUND);
__syncthreads();)";

constexpr std::string_view kFill =
    R"(for (int kp_e = threadIdx.x * $GROUP; kp_e < $ROWS * $LENGTH; kp_e += blockDim.x * $GROUP) {
  const int $J = kp_first + kp_e / $LENGTH, $D = kp_e % $LENGTH;
  if ($J >= kp_end) break;
  const $ELEMENT* kp_from = &$LOAD;
  $ELEMENT* kp_to = &$NAME[kp_e / $LENGTH][$D];
  if (reinterpret_cast<unsigned long long>(kp_from) % 16 == 0) {
    *reinterpret_cast<uint4*>(kp_to) = *reinterpret_cast<const uint4*>(kp_from);
  } else {
    for (int kp_c = 0; kp_c < $GROUP; ++kp_c) kp_to[kp_c] = kp_from[kp_c];
  }
})";

std::int64_t rows_at_once(const RowLoop& staged) {
  std::int64_t bytes = 0;
  for (const BlockRow& row : staged.rows) bytes += row.length * row.element_bytes;
  std::int64_t rows = 64;
  while (rows > 1 && rows * bytes > kMostStaged) rows /= 2;
  return rows;
}

/// Declarations of the shared arrays, and the loops that fill them.
struct Stage {
  std::string arrays, fills;
};

/// Adds the array for one row pointer, whose loads then read from it.
void add_array(Stage& stage, const BlockRow& row, const std::string& name, const RowLoop& staged) {
  const std::string rows = std::to_string(rows_at_once(staged));
  const std::string length = std::to_string(row.length);
  stage.arrays +=
      fmt::format("__shared__ __align__(16) {} {}[{}][{}];\n", row.element, name, rows, length);
  stage.fills += filled(kFill, {{"GROUP", std::to_string(16 / row.element_bytes)},
                                {"ROWS", rows},
                                {"LENGTH", length},
                                {"J", staged.loop.index},
                                {"D", row.index},
                                {"ELEMENT", row.element},
                                {"LOAD", std::string(row.uses.front().text())},
                                {"NAME", name}}) +
                 "\n";
}

/// The stages with the head of the loop over rows, up to its body.
std::string head_of(const RowLoop& staged, const Stage& stage) {
  const CountedLoop& loop = staged.loop;
  const std::string first(loop.first.text());
  const std::string bound =
      "(" + std::string(loop.bound.text()) + ")" + (loop.inclusive ? " + 1" : "");
  const std::string last = staged.uniform ? fmt::format("const int kp_end = {};", bound)
                                          : filled(kLast, {{"FIRST", first}, {"BOUND", bound}});
  return "// Rows that all threads of the block need are loaded once for all of them.\n" +
         stage.arrays +
         filled(kStagedLoop, {{"LAST", last},
                              {"FIRST", first},
                              {"ROWS", std::to_string(rows_at_once(staged))},
                              {"FILLS", stage.fills},
                              {"J", loop.index},
                              {"BOUND", bound}});
}

}  // namespace

bool can_be_staged(const RowLoop& staged) {
  return std::all_of(staged.rows.begin(), staged.rows.end(), [](const BlockRow& row) {
    return row.length % (16 / row.element_bytes) == 0 &&
           row.length * row.element_bytes <= kMostStaged / 8;
  });
}

void write_row_stage(const SourceTree& tree, const RowLoop& staged, Edits& edits) {
  const CountedLoop& loop = staged.loop;
  Stage stage;
  for (std::size_t i = 0; i < staged.rows.size(); ++i) {
    const BlockRow& row = staged.rows[i];
    const std::string name =
        fmt::format("kp_rows_{}{}", row.pointer, i == 0 ? "" : fmt::format("_{}", i));
    add_array(stage, row, name, staged);
    for (const SyntaxNode& use : row.uses) {
      edits.replace(use, fmt::format("{}[{} - kp_first][{}]", name, loop.index, row.index));
    }
  }
  const SyntaxNode pragma = unroll_pragma(loop);
  const bool block = loop.body.type() == "compound_statement";
  const std::size_t margin = indentation(tree, loop.statement);
  edits.replace(pragma.valid() ? pragma.begin() : loop.statement.begin(),
                block ? loop.body.begin() + 1 : loop.body.begin(),
                reindented(head_of(staged, stage), margin).substr(margin));
  const std::string close = "\n" + std::string(margin, ' ') + "}";
  edits.insert(loop.statement.end(), block ? close : close + close);
}

}  // namespace kp::propose
