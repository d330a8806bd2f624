// SPDX-License-Identifier: Apache-2.0
// Kernels whose threads each work on one element of a grid, under a check of its index; unlike an
// element-wise kernel (elementwise.h) they may use atomics, add to variables that are used behind
// the check, and do something as a block before and after.
//
//     int i = blockIdx.x * blockDim.x + threadIdx.x;
//     if (i < n) { BODY } ...                          or: if (i >= n) return; BODY
#pragma once
#include <optional>
#include <string>

#include "propose/edit.h"
#include "propose/flat_block.h"

namespace kp::propose {

struct GuardedWork {
  SyntaxNode kernel;
  LocalVariable index;
  SyntaxNode guard;      // the if statement
  SyntaxNode body;       // its consequence; the kernel's body when the guard returns
  bool returns = false;  // if (i >= n) return;
  std::string bound;     // text of n, the same for all threads
};

/// The upper bound in a test that `index` is below it; invalid for other tests.
SyntaxNode bound_below(const SourceTree& tree, const SyntaxNode& condition,
                       const std::string& index);

/// Nothing for other shapes, and when the index is used outside of BODY.
std::optional<GuardedWork> match_guarded_work(const SourceTree& tree, const SyntaxNode& kernel,
                                              const FlatBlock& block);

/// One thread may do the work of several, one after the other: BODY waits for nobody, passes
/// nothing on but by accumulating, and blockIdx.x stands in the index alone.
bool may_repeat(const SourceTree& tree, const GuardedWork& work);

/// blockIdx.x and gridDim.x stand in the index alone.
bool uses_block_in_index_alone(const SourceTree& tree, const SyntaxNode& kernel,
                               const LocalVariable& index);

/// `for (int i = ...; i < n; i += size of the grid) `
std::string grid_stride_header(const LocalVariable& index, const std::string& bound,
                               const FlatBlock& block);

/// Turns the check into a loop over the grid's elements.
void write_grid_stride(const SourceTree& tree, const GuardedWork& work, const FlatBlock& block,
                       Edits& edits);

/// At most a tuned number of blocks along x: a few for each multiprocessor.
void limit_grid(const Subject& subject, Plan& plan, std::string_view kernel);

/// Takes a local declaration out, with the line it leaves empty.
void remove_declaration(const SourceTree& tree, const SyntaxNode& declaration, Edits& edits);

}  // namespace kp::propose
