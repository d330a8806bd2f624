// SPDX-License-Identifier: Apache-2.0
// The shape of a naive contraction: each thread sums products of two operands over k for one
// output (i, j), then does with the sum what it likes.
//
//     int j = blockIdx.x * blockDim.x + threadIdx.x;      row and column: any axes, any names
//     int i = blockIdx.y * blockDim.y + threadIdx.y;
//     if (i >= m || j >= n) return;                       or: if (i < m && j < n) { .. }
//     float sum = 0.0f;
//     for (int k = 0; k < depth; ++k) sum += A(i, k) * B(k, j);
//     c[i * n + j] = alpha * sum;                         the epilogue
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "propose/index_form.h"
#include "propose/locals.h"
#include "propose/loops.h"
#include "propose/rewrite.h"
#include "propose/syntax.h"

namespace kp::propose {

/// An output index: blockIdx.A * blockDim.A + threadIdx.A, checked against a bound.
struct OutputIndex {
  std::string name, type;
  char axis = 'x';
  std::string bound;  // operand text of the extent
};

/// A(i, k) or B(k, j): an expression over its own output index and k.
struct ContractionOperand {
  enum class Along { kNowhere, kReduced, kOutput };
  SyntaxNode value;          // with conversions: __half2float(b[k * n + j])
  SyntaxNode element;        // the only load in it; invalid when there are several
  std::string pointer;       // the parameter that it loads from
  std::string element_type;  // "float"; empty without `element`
  unsigned element_bytes = 0;
  Along contiguous = Along::kNowhere;  // neighbours along this index are neighbours in memory
  std::string stride;                  // operand text of the step along the other index
};

struct Contraction {
  SyntaxNode kernel;
  Locals locals;
  OutputIndex row, column;
  CountedLoop loop;
  std::string extent;  // operand text of the end of k, exclusive
  ContractionOperand a, b;
  Local sum;                         // the accumulator; `value` is where it starts
  std::vector<SyntaxNode> epilogue;  // statements, at least one
  std::size_t begin = 0, end = 0;    // source range of what is between the kernel's braces

  explicit Contraction(const SourceTree& tree) : locals(tree) {}
};

/// The contraction that `kernel` computes, or why it is none.
std::variant<Contraction, Refusal> match_contraction(const SourceTree& tree,
                                                     const SyntaxNode& kernel);

}  // namespace kp::propose
