// SPDX-License-Identifier: Apache-2.0
// Server-sent events (WHATWG HTML, section 9.2), in pieces as they come off the wire.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace kp::llm {

class EventStream {
 public:
  /// Gets the data of each event; false when it wants no more.
  using Taker = std::function<bool(const std::string& data)>;
  explicit EventStream(Taker taker) : taker_(std::move(taker)) {}

  /// The next bytes; false once the taker wants no more. An event ends with an empty line: what
  /// stands after the last one is not given out.
  bool feed(std::string_view bytes);

 private:
  bool end_line();
  bool end_event();

  Taker taker_;
  std::string line_, data_;
  bool has_data_ = false;
  bool after_return_ = false;  // a line feed that comes next belongs to the line before
  bool first_line_ = true;
  bool open_ = true;
};

}  // namespace kp::llm
