// SPDX-License-Identifier: Apache-2.0
// The code blocks of a reply and the prose between them, as models write Markdown: any fence, any
// tag or none, indented or not, the last one perhaps not closed.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kp::propose {

struct FencedBlock {
  std::string before;  // prose between the block before and this one
  std::string tag;     // "cuda", "diff", ...; lower case
  std::string name;    // of a file, where the fence or the line before it names one
  std::string text;    // ends with a line end unless empty
  bool closed = true;
};

struct Fences {
  std::vector<FencedBlock> blocks;
  std::string after;  // prose behind the last block; all of it without blocks
};

/// `text` has line ends LF.
Fences read_fences(std::string_view text);

/// The first file name with a suffix of C++ or CUDA in a line; empty when there is none.
std::string file_name_in(std::string_view line);

}  // namespace kp::propose
