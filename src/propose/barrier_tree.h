// SPDX-License-Identifier: Apache-2.0
// Reductions over a shared array in log2(block) steps with a barrier behind each.
//
//     for (int s = THREADS / 2; s > 0; s /= 2) {          also >>=, literals, blockDim.x
//       if (t < s) a[t] += a[t + s];                      also max, min, ...; several arrays
//       __syncthreads();
//     }
//     for (int s = 1; s < THREADS; s *= 2) {              interleaved
//       if (t % (2 * s) == 0) a[t] += a[t + s];
//       __syncthreads();
//     }
//     if (t < 128) a[t] += a[t + 128];                    unrolled, down to 1
//     __syncthreads(); ...
#pragma once
#include <string>
#include <vector>

#include "propose/flat_block.h"
#include "propose/reduction.h"

namespace kp::propose {

struct BarrierTree {
  struct Array {
    std::string name;
    Combine combine = Combine::kAdd;
  };
  SyntaxNode parent;               // the block of statements that it stands in
  std::size_t begin = 0, end = 0;  // its statements in the source
  std::vector<Array> arrays;       // element 0 of each holds the result behind the tree
};

/// The trees over all threads of the block, in order of appearance.
std::vector<BarrierTree> barrier_trees(const SourceTree& tree, const SyntaxNode& function,
                                       const FlatBlock& block);

}  // namespace kp::propose
