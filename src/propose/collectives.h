// SPDX-License-Identifier: Apache-2.0
// Device functions that combine values of the lanes of a warp or of the threads of a block, as
// source text that a rewrite puts in front of a kernel.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "propose/edit.h"
#include "propose/reduction.h"

namespace kp::propose {

/// True when values of this type can be shuffled without a header.
bool can_shuffle(std::string_view type);

/// Where a function can be put in front of `function`: at file scope, before the remark on it.
std::size_t place_before(const SourceTree& tree, const SyntaxNode& function);

/// Collects the functions that calls need and inserts them once, unless the source has them.
class Collectives {
 public:
  /// `kernel` is the kernel that calls.
  Collectives(const SourceTree& tree, const SyntaxNode& kernel);

  /// The call that combines `value` over all lanes of a warp; each gets the result.
  std::string over_warp(Combine combine, std::string_view type, std::string_view value);
  /// The call that combines `value` over a one-dimensional block of whole warps, which all call it;
  /// each thread gets the result. It has two barriers, one before shared memory is written.
  std::string over_block(Combine combine, std::string_view type, std::string_view value);
  /// The call that combines `value` with those of all threads before this one.
  std::string scan_of_block(Combine combine, std::string_view type, std::string_view value);

  void insert_into(Edits& edits) const;

 private:
  void require(const std::string& signature, const std::string& text);

  const SourceTree& tree_;
  std::size_t place_;
  std::vector<std::string> signatures_;
  std::string text_;
};

}  // namespace kp::propose
