// SPDX-License-Identifier: Apache-2.0
// The parts of a prompt, and how they share its room.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace kp::propose {

struct Section {
  std::string name;       // "findings"
  std::string text;       // ends with a line end unless empty
  int yields = 0;         // the highest number gives way first; 0: never shortened
  std::size_t least = 0;  // tokens that it keeps
};

/// Shortens sections until they are estimated at `most` tokens together, or none can give more.
/// What is left out is left out at the end, at a blank line where there is one near.
void fit(std::vector<Section>& sections, std::size_t most);

/// The front of a text, cut at a line end, with a line that says what is missing; at most about
/// `tokens`.
std::string shortened(const std::string& text, std::size_t tokens);

}  // namespace kp::propose
