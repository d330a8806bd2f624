// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu_rows.h"

#include <algorithm>
#include <cstring>

namespace kp::profile::ncu {
namespace {

std::string_view without_return(std::string_view text) {
  return text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
}

}  // namespace

std::string_view RowReader::line() const {
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  return without_return(text_.substr(at_, end - at_));
}

void RowReader::skip_line() {
  const std::size_t end = text_.find('\n', at_);
  at_ = end == std::string_view::npos ? text_.size() : end + 1;
}

bool RowReader::read(Row& row) {
  row.clear();
  for (;;) {
    const bool quoted = at_ < text_.size() && text_[at_] == '"';
    if (!(quoted ? read_quoted(row) : read_field(row))) return false;
    if (at_ >= text_.size() || text_[at_] == '\n') break;
    ++at_;  // the comma
  }
  at_ = std::min(at_ + 1, text_.size());
  return true;
}

bool RowReader::read_field(Row& row) {
  const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
  row.push_back(without_return(text_.substr(at_, end - at_)));
  at_ = end;
  return true;
}

// memchr finds the closing quote faster than a loop: nearly all time of an import is spent here.
bool RowReader::read_quoted(Row& row) {
  const std::size_t begin = at_ + 1;
  std::size_t end = begin;
  for (;;) {
    const void* found =
        end < text_.size() ? std::memchr(text_.data() + end, '"', text_.size() - end) : nullptr;
    if (found == nullptr) return false;
    end = static_cast<std::size_t>(static_cast<const char*>(found) - text_.data());
    if (end + 1 >= text_.size() || text_[end + 1] != '"') break;
    end += 2;
  }
  row.push_back(text_.substr(begin, end - begin));
  at_ = end + 1;
  if (at_ < text_.size() && text_[at_] == '\r') ++at_;
  // What stands between a closing quote and the next comma belongs to no field.
  if (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n') {
    at_ = std::min(text_.find_first_of(",\n", at_), text_.size());
  }
  return true;
}

std::string_view field(const Row& row, const std::optional<std::size_t>& at) {
  return at && *at < row.size() ? row[*at] : std::string_view();
}

bool may_be_record(std::string_view line) {
  if (line.starts_with('"')) line.remove_prefix(1);
  if (line.empty()) return false;
  return (line[0] >= '0' && line[0] <= '9') || line[0] == '"' || line[0] == ',';
}

std::string unquoted(std::string_view field) {
  std::string text;
  text.reserve(field.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"' && i + 1 < field.size() && field[i + 1] == '"') ++i;
  }
  return text;
}

}  // namespace kp::profile::ncu
