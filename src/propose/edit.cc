// SPDX-License-Identifier: Apache-2.0
#include "propose/edit.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace kp::propose {

void Edits::replace(std::size_t begin, std::size_t end, std::string text) {
  edits_.push_back({begin, end, std::move(text)});
}

std::string Edits::apply(std::string_view original) const {
  auto sorted = edits_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Edit& a, const Edit& b) {
    return std::pair(a.begin, a.begin != a.end) < std::pair(b.begin, b.begin != b.end);
  });
  std::string text;
  std::size_t copied = 0;
  for (const Edit& edit : sorted) {
    KP_CHECK(edit.begin >= copied && edit.end <= original.size(), "edits do not overlap");
    text.append(original.substr(copied, edit.begin - copied));
    text += edit.text;
    copied = edit.end;
  }
  text.append(original.substr(copied));
  return text;
}

}  // namespace kp::propose
