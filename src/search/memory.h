// SPDX-License-Identifier: Apache-2.0
// Search memory: which of the things that were tried before tell most about the node at hand.
// docs/search.md has the equation.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "model/experience.h"

namespace kp::search {

/// A node for which something is to be tried.
struct Situation {
  std::string task, device;
  Boundness boundness = Boundness::kMixed;
  std::vector<std::string> findings;  // tools that fired, ranked
  // What was tried at this node of this run, and how it came about itself, is told elsewhere.
  std::string run{};
  int node = -1;
};

/// How much an experience tells about a situation, 0 (nothing) to 1 (the same findings on the same
/// kind of kernel).
double likeness(const Situation& situation, const Experience& experience);

/// At most `most`, the likest first, newer before older among equals. Of several with the same
/// action and the same kind of outcome only the likest is kept: what counts is what to do and what
/// not to do.
std::vector<Experience> recall(const Situation& situation, std::span<const Experience> experiences,
                               std::size_t most);

}  // namespace kp::search
