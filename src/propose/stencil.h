// SPDX-License-Identifier: Apache-2.0
// A kernel of two thread indices in which each thread computes one point from neighbours at
// constant distances in an array that it only reads.
//
//     int col = blockIdx.x * blockDim.x + threadIdx.x;
//     int row = blockIdx.y * blockDim.y + threadIdx.y;
//     out[row * n + col] = in[row * n + col] + in[(row - 1) * n + col] + in[row * n + col + 1];
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "propose/index_form.h"
#include "propose/rewrite.h"
#include "propose/syntax.h"

namespace kp::propose {

struct Stencil {
  /// Neighbours in one column: the points dy rows below, dx columns to the right.
  struct Column {
    std::int64_t low = 0, high = 0;  // of dy
  };
  struct Neighbour {
    SyntaxNode load;
    std::int64_t dy = 0, dx = 0;
  };

  SyntaxNode kernel;
  LocalVariable row, column;           // indices of type int
  std::vector<SyntaxNode> statements;  // of the kernel, behind both indices; at least one
  PointerParameter array;
  std::string count;  // text of the number of its elements
  IndexForm base;     // where the point itself lies: row * pitch + column
  std::vector<Neighbour> neighbours;
  std::map<std::int64_t, Column> columns;  // by dx; points of at least one share neighbours
};

/// Neighbours are at most this many rows and columns away; registers for more would be many.
constexpr std::int64_t kFarthestNeighbour = 8;

/// The stencil that `kernel` computes, or why it is none.
std::variant<Stencil, Refusal> match_stencil(const Subject& subject, const SyntaxNode& kernel);

}  // namespace kp::propose
