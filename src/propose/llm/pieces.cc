// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "propose/llm/fences.h"
#include "propose/llm/json_reply.h"
#include "propose/llm/unified_diff.h"

namespace kp::propose {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Line ends LF, no byte-order mark, no NUL.
std::string normalised(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\0') continue;
    const bool pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!pair) out += text[i] == '\r' ? '\n' : text[i];
  }
  return out;
}

/// Models that think aloud put drafts there that they do not mean.
std::string_view after_thoughts(std::string_view text) {
  for (const std::string_view end : {"</think>", "</thinking>"}) {
    const auto at = text.rfind(end);
    if (at != std::string_view::npos) text.remove_prefix(at + end.size());
  }
  return text;
}

bool is_plan_comment(std::string_view text) {
  if (!text.starts_with("/*")) return false;
  text.remove_prefix(2);
  return starts_with_word(trim(text.substr(std::min(text.find_first_not_of('*'), text.size()))),
                          "kernelpro");
}

bool has_launch(std::string_view text) {
  const auto lines = split_lines(text);
  return std::any_of(lines.begin(), lines.end(), [](std::string_view line) {
    return starts_with_word(trim(line), "launch") && line.find("<<<") != std::string_view::npos;
  });
}

/// Plans that stand in prose, outside of any fence.
void add_plans_of(std::string_view prose, std::vector<Piece>& pieces) {
  for (auto at = prose.find("/*"); at != std::string_view::npos; at = prose.find("/*", at + 2)) {
    const auto end = prose.find("*/", at + 2);
    if (end == std::string_view::npos) return;
    const std::string_view comment = prose.substr(at, end + 2 - at);
    if (is_plan_comment(comment)) {
      pieces.push_back({.kind = PieceKind::kPlan, .text = std::string(comment)});
    }
    at = end;
  }
}

/// Whether a line of a reply without fences can be the first of a source.
bool starts_source(std::string_view line) {
  constexpr std::array<std::string_view, 12> kStarts{"/*",        "//",      "#include", "#define",
                                                     "#pragma",   "extern",  "static",   "struct",
                                                     "constexpr", "typedef", "template", "__"};
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [line](std::string_view start) { return line.starts_with(start); });
}

/// A source between prose: from the first line that looks like one to the last brace.
std::vector<Piece> read_bare(const std::string& text) {
  if (text.find("__global__") == std::string::npos) return {};
  std::size_t begin = 0;
  for (const std::string_view line : split_lines(text)) {
    if (starts_source(line)) break;
    begin = static_cast<std::size_t>(line.data() - text.data()) + line.size() + 1;
  }
  const auto end = text.rfind('}');
  if (end == std::string::npos || begin > end) return {};
  const auto line_end = std::min(text.find('\n', end), text.size());
  Piece piece{.kind = PieceKind::kKernels, .before = text.substr(0, begin)};
  piece.text = text.substr(begin, line_end - begin) + "\n";
  return {std::move(piece)};
}

Piece piece_of(const FencedBlock& block) {
  Piece piece{.kind = kind_of(block.text, block.tag, block.name),
              .before = block.before,
              .name = block.name,
              .text = block.text,
              .complete = block.closed};
  if (piece.kind == PieceKind::kPlan) piece.text = plan_comment(block.text);
  return piece;
}

std::vector<Piece> read_fenced(const Fences& fences) {
  std::vector<Piece> pieces;
  for (const FencedBlock& block : fences.blocks) {
    auto inside = read_json_reply(block.text);
    if (inside.empty()) {
      pieces.push_back(piece_of(block));
      add_plans_of(block.before, pieces);
    } else {
      for (Piece& piece : inside) piece.before = block.before;
      std::move(inside.begin(), inside.end(), std::back_inserter(pieces));
    }
  }
  add_plans_of(fences.after, pieces);
  return pieces;
}

bool says_something(const std::vector<Piece>& pieces) {
  return std::any_of(pieces.begin(), pieces.end(), [](const Piece& piece) {
    return piece.kind == PieceKind::kKernels || piece.kind == PieceKind::kDiff;
  });
}

}  // namespace

PieceKind kind_of(std::string_view text, std::string_view tag, std::string_view name) {
  const bool diff_tag = tag == "diff" || tag == "patch" || tag == "udiff";
  const bool diff_start =
      text.starts_with("--- ") || text.starts_with("@@") || text.starts_with("diff ");
  if ((diff_tag || diff_start) && looks_like_diff(text)) return PieceKind::kDiff;
  if (text.find("__global__") != std::string_view::npos) return PieceKind::kKernels;
  if (is_plan_comment(trim(text)) || has_launch(text)) return PieceKind::kPlan;
  return name.empty() ? PieceKind::kOther : PieceKind::kHeader;
}

std::string plan_comment(std::string_view text) {
  const std::string_view plan = trim(text);
  if (plan.find("/*") != std::string_view::npos) return std::string(plan) + "\n";
  if (starts_with_word(plan, "kernelpro")) return fmt::format("/* {}\n*/\n", plan);
  return fmt::format("/* kernelpro\n{}\n*/\n", plan);
}

std::vector<Piece> read_pieces(std::string_view text) {
  const std::string plain = normalised(text);
  const std::string reply(after_thoughts(plain));
  if (auto json = read_json_reply(reply); !json.empty()) return json;
  const Fences fences = read_fences(reply);
  auto pieces = read_fenced(fences);
  if (says_something(pieces)) return pieces;
  auto bare = looks_like_diff(reply) ? std::vector<Piece>{{.kind = PieceKind::kDiff, .text = reply}}
                                     : read_bare(reply);
  std::move(bare.begin(), bare.end(), std::back_inserter(pieces));
  return pieces;
}

}  // namespace kp::propose
