// SPDX-License-Identifier: Apache-2.0
#include "codesearch/passage.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kp::codesearch {

Result<Passage> passage_of(std::string_view path, std::string_view text, int first, int last) {
  if (first < 1 || last < first)
    return fail(ErrorCode::kInvalidInput, fmt::format("there are no lines {}:{}", first, last),
                "lines count from 1; give the first and the last, such as 1:80");
  const auto lines = split_lines(text);
  Passage passage{.path = std::string(path), .first_line = first, .last_line = first - 1};
  passage.lines = static_cast<int>(lines.size());
  if (first > passage.lines)
    return fail(ErrorCode::kInvalidInput,
                fmt::format("`{}` has {} lines, there is no line {}", path, passage.lines, first),
                passage.lines == 0 ? "choose another file"
                                   : fmt::format("give lines within 1:{}", passage.lines));
  const int end = std::min({last, passage.lines, first + kMostPassageLines - 1});
  for (int number = first; number <= end; ++number) {
    const std::string_view line = lines[static_cast<std::size_t>(number - 1)];
    if (passage.text.size() + line.size() >= kMostPassageBytes) break;
    (passage.text += line) += '\n';
    passage.last_line = number;
  }
  if (passage.last_line < first)
    return fail(ErrorCode::kLimit, fmt::format("line {} of `{}` is too long", first, path),
                "choose other lines; this one is no source that a person wrote");
  return passage;
}

}  // namespace kp::codesearch
