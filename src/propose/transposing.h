// SPDX-License-Identifier: Apache-2.0
// The shape of a naive transpose: two thread indices, a bounds check, one assignment between arrays
// whose subscripts run along different indices.
//
//     int a = blockIdx.x * blockDim.x + threadIdx.x;
//     int b = blockIdx.y * blockDim.y + threadIdx.y;
//     if (a < A && b < B) out[a * S + b] = f(in[b * T + a]);
#pragma once
#include <optional>
#include <string>

#include "propose/syntax.h"

namespace kp::propose {

struct Transposing {
  SyntaxNode kernel;
  LocalVariable along_x, along_y;
  std::string condition;        // text of the bounds check
  std::string element;          // element type of `in`
  std::string load, store;      // texts of in[..] and out[..]
  std::string value;            // text of the right-hand side
  std::size_t load_offset = 0;  // of `load` within `value`
  std::size_t begin = 0,
              end = 0;  // source range of the if statement with everything that depends on it

  /// The right-hand side with the load replaced.
  std::string value_from(std::string_view loaded) const;
};

/// Only the case whose load runs along x and store along y; nothing for every other shape.
std::optional<Transposing> match_transposing(const SourceTree& tree, const SyntaxNode& kernel);

}  // namespace kp::propose
