// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/fences.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "base/text.h"

namespace kp::propose {
namespace {

struct Fence {
  char mark = '`';
  std::size_t length = 0, indent = 0;
  std::string_view info;
};

std::optional<Fence> fence_of(std::string_view line) {
  Fence fence;
  fence.indent = std::min(line.find_first_not_of(" \t"), line.size());
  line.remove_prefix(fence.indent);
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return std::nullopt;
  fence.mark = line[0];
  fence.length = std::min(line.find_first_not_of(fence.mark), line.size());
  fence.info = trim(line.substr(fence.length));
  const bool inline_code = fence.info.find('`') != std::string_view::npos;
  if (fence.length < 3 || inline_code) return std::nullopt;
  return fence;
}

bool closes(const Fence& fence, const Fence& open) {
  return fence.mark == open.mark && fence.length >= open.length && fence.info.empty();
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.' ||
         c == '/';
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view without_indent(std::string_view line, std::size_t most) {
  std::size_t blanks = 0;
  while (blanks < most && blanks < line.size() && line[blanks] == ' ') ++blanks;
  return line.substr(blanks);
}

std::string_view last_line(std::string_view prose) {
  const auto lines = split_lines(trim(prose));
  return lines.empty() ? std::string_view() : lines.back();
}

FencedBlock opened(const Fence& fence, std::string before) {
  FencedBlock block;
  const auto end = std::find_if(fence.info.begin(), fence.info.end(), [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) || c == ':' || c == '{' || c == ',';
  });
  block.tag = lower(std::string_view(fence.info.begin(), end));
  block.name = file_name_in(fence.info);
  if (block.name.empty()) block.name = file_name_in(last_line(before));
  block.before = std::move(before);
  block.closed = false;
  return block;
}

}  // namespace

std::string file_name_in(std::string_view line) {
  constexpr std::array<std::string_view, 7> kSuffixes{".cu", ".cuh", ".h",  ".hpp",
                                                      ".cc", ".cpp", ".inl"};
  for (std::size_t begin = 0; begin < line.size();) {
    std::size_t end = begin;
    while (end < line.size() && is_name_character(line[end])) ++end;
    std::string_view word = line.substr(begin, end - begin);
    while (word.ends_with('.')) word.remove_suffix(1);
    const auto fits = [word](std::string_view suffix) {
      return word.size() > suffix.size() && word.ends_with(suffix);
    };
    if (std::any_of(kSuffixes.begin(), kSuffixes.end(), fits)) return std::string(word);
    begin = end + 1;
  }
  return "";
}

Fences read_fences(std::string_view text) {
  Fences out;
  std::optional<Fence> open;
  std::string prose;
  for (const std::string_view line : split_lines(text)) {
    const auto fence = fence_of(line);
    if (open && fence && closes(*fence, *open)) {
      out.blocks.back().closed = true;
      open.reset();
    } else if (open) {
      (out.blocks.back().text += without_indent(line, open->indent)) += '\n';
    } else if (fence) {
      out.blocks.push_back(opened(*fence, std::exchange(prose, {})));
      open = fence;
    } else {
      (prose += line) += '\n';
    }
  }
  out.after = std::move(prose);
  return out;
}

}  // namespace kp::propose
