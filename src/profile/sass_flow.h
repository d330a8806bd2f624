// SPDX-License-Identifier: Apache-2.0
// Which machine instructions of a kernel run most: those in its innermost loops.
#pragma once
#include <vector>

#include "profile/sass_text.h"

namespace kp::profile {

/// One entry for each instruction of the function.
struct SassFlow {
  /// The kernel reaches it itself; false for subroutines (slow paths of division and the like),
  /// which are only called.
  std::vector<bool> reached;
  /// It lies in a loop that holds no other loop.
  std::vector<bool> innermost;
  int loops = 0;  // that hold no other loop
};

/// A loop is what can come back to a place through which every way into it leads. A jump to a lower
/// address alone is none: rarely taken code lies at the end and jumps back.
SassFlow flow_of(const SassFunction& function);

}  // namespace kp::profile
