// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "propose/llm/quoted.h"

namespace kp::propose {
namespace {

constexpr std::size_t kMostHunks = 1000;
constexpr std::size_t kShownLine = 80;  // bytes of a line in a message

struct Hunk {
  struct Line {
    char kind = ' ';  // ' ' kept, '-' removed, '+' added
    std::string_view text;
  };
  std::optional<std::size_t> line;  // of the original, from 1
  std::vector<Line> lines;
};

using Lines = std::vector<std::string_view>;

std::string_view right_trimmed(std::string_view line) {
  const auto end = line.find_last_not_of(" \t\r");
  return line.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

bool is_file_header(const Lines& lines, std::size_t i) {
  const std::string_view line = lines[i];
  if (line.starts_with("diff ") || line.starts_with("index ") || line.starts_with("*** "))
    return true;
  if (line.starts_with("--- ")) return i + 1 < lines.size() && lines[i + 1].starts_with("+++ ");
  return line.starts_with("+++ ") && i > 0 && lines[i - 1].starts_with("--- ");
}

/// The 12 of "@@ -12,5 +12,6 @@".
std::optional<std::size_t> line_number(std::string_view header) {
  const auto minus = header.find('-');
  if (minus == std::string_view::npos) return std::nullopt;
  const auto digits = header.substr(minus + 1);
  const auto end = std::min(digits.find_first_not_of("0123456789"), digits.size());
  const auto number = parse_integer(digits.substr(0, end));
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::size_t>(*number);
}

Hunk::Line hunk_line(std::string_view line) {
  if (line.empty()) return {' ', line};
  if (line[0] == '+' || line[0] == '-' || line[0] == ' ') return {line[0], line.substr(1)};
  return {' ', line};  // the blank in front was forgotten
}

/// Blank lines at the end belong to the reply rather than to the hunk.
void drop_blank_end(Hunk& hunk) {
  while (!hunk.lines.empty() && hunk.lines.back().kind == ' ' &&
         right_trimmed(hunk.lines.back().text).empty()) {
    hunk.lines.pop_back();
  }
}

std::vector<Hunk> read_hunks(std::string_view diff) {
  const Lines lines = split_lines(diff);
  std::vector<Hunk> hunks;
  for (std::size_t i = 0; i < lines.size() && hunks.size() <= kMostHunks; ++i) {
    if (lines[i].starts_with("@@")) {
      hunks.push_back({line_number(lines[i]), {}});
    } else if (!hunks.empty() && !is_file_header(lines, i) && !lines[i].starts_with("\\")) {
      hunks.back().lines.push_back(hunk_line(lines[i]));
    }
  }
  for (Hunk& hunk : hunks) drop_blank_end(hunk);
  return hunks;
}

Lines old_lines(const Hunk& hunk) {
  Lines old;
  for (const Hunk::Line& line : hunk.lines) {
    if (line.kind != '+') old.push_back(right_trimmed(line.text));
  }
  return old;
}

class Patcher {
 public:
  explicit Patcher(std::string_view original) : lines_(split_lines(original)) {
    for (const std::string_view line : lines_) trimmed_.push_back(right_trimmed(line));
  }

  std::optional<Fault> apply(const Hunk& hunk, std::size_t number) {
    const Lines old = old_lines(hunk);
    const auto place = old.empty() ? insertion(hunk) : nearest_place(old, hunk);
    if (!place) return refusal(old, number);
    copy_until(*place);
    for (const Hunk::Line& line : hunk.lines) {
      if (line.kind == '+') (out_ += line.text) += '\n';
      if (line.kind == ' ') (out_ += lines_[next_]) += '\n';
      if (line.kind != '+') ++next_;
    }
    return std::nullopt;
  }

  std::string finish() {
    copy_until(lines_.size());
    return std::move(out_);
  }

 private:
  void copy_until(std::size_t end) {
    for (; next_ < end; ++next_) (out_ += lines_[next_]) += '\n';
  }

  std::optional<std::size_t> insertion(const Hunk& hunk) const {
    if (!hunk.line || *hunk.line < next_ || *hunk.line > lines_.size()) return std::nullopt;
    return *hunk.line;
  }

  /// Without a line number the place has to be the only one.
  std::optional<std::size_t> nearest_place(const Lines& old, const Hunk& hunk) const {
    std::optional<std::size_t> best;
    const std::size_t wanted = hunk.line.value_or(1) - (hunk.line.value_or(1) > 0);
    const auto distance = [wanted](std::size_t at) {
      return at > wanted ? at - wanted : wanted - at;
    };
    for (auto from = trimmed_.begin() + static_cast<std::ptrdiff_t>(next_);;) {
      from = std::search(from, trimmed_.end(), old.begin(), old.end());
      if (from == trimmed_.end()) return best;
      const auto at = static_cast<std::size_t>(from - trimmed_.begin());
      if (best && !hunk.line) return std::nullopt;
      if (!best || distance(at) < distance(*best)) best = at;
      ++from;
    }
  }

  static Fault refusal(const Lines& old, std::size_t number) {
    if (old.empty()) {
      return {
          fmt::format("hunk {} of the diff has neither context nor a usable line number", number)};
    }
    return {
        fmt::format("hunk {} of the diff does not fit the parent's source: its lines from `{}` "
                    "on stand nowhere, or at several places",
                    number, on_one_line(old.front(), kShownLine))};
  }

  Lines lines_, trimmed_;
  std::size_t next_ = 0;  // first line of the original that is not in out_ yet
  std::string out_;
};

}  // namespace

bool looks_like_diff(std::string_view text) {
  bool changes = false, hunk = false;
  for (const std::string_view line : split_lines(text)) {
    hunk |= line.starts_with("@@");
    changes |= hunk && (line.starts_with("+") || line.starts_with("-"));
  }
  return changes;
}

std::variant<std::string, Fault> apply_diff(std::string_view original, std::string_view diff) {
  const auto hunks = read_hunks(diff);
  if (hunks.empty()) return Fault{"the diff has no hunk"};
  if (hunks.size() > kMostHunks) {
    return Fault{fmt::format("the diff has more than {} hunks", kMostHunks)};
  }
  Patcher patcher(original);
  for (std::size_t i = 0; i < hunks.size(); ++i) {
    if (auto fault = patcher.apply(hunks[i], i + 1)) return *std::move(fault);
  }
  return patcher.finish();
}

}  // namespace kp::propose
