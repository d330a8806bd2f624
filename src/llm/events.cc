// SPDX-License-Identifier: Apache-2.0
#include "llm/events.h"

namespace kp::llm {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

bool EventStream::feed(std::string_view bytes) {
  while (open_ && !bytes.empty()) {
    if (after_return_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_return_ = false;
    const std::size_t end = bytes.find_first_of("\r\n");
    line_ += bytes.substr(0, end);
    if (end == std::string_view::npos) break;
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    open_ = end_line();
  }
  return open_;
}

bool EventStream::end_line() {
  std::string_view line = line_;
  if (first_line_ && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  first_line_ = false;
  bool more = true;
  if (line.empty()) {
    more = end_event();
  } else if (line == "data" || line.starts_with("data:")) {
    line.remove_prefix(line.size() > 4 ? 5 : 4);
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (has_data_) data_ += '\n';
    data_ += line;
    has_data_ = true;
  }
  // Comments, names, numbers and waiting times: the dialects say everything in the data.
  line_.clear();
  return more;
}

bool EventStream::end_event() {
  if (!has_data_) return true;
  const bool more = taker_(data_);
  data_.clear();
  has_data_ = false;
  return more;
}

}  // namespace kp::llm
