// SPDX-License-Identifier: Apache-2.0
// The only place that writes to standard output and error.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kp::cli {

class Terminal {
 public:
  Terminal();
  /// Results: standard output, one line (text may hold several). Wrapped on a terminal only.
  void print(std::string_view text);
  /// The same for text whose lines must stay as they are: sources, differences.
  void print_verbatim(std::string_view text);
  /// The one JSON object that --json promises, on standard output.
  void print_json(const nlohmann::json& json);
  /// Progress and notes: standard error, so that results can be piped.
  void note(std::string_view text);
  /// A line that the next one replaces, cut to the terminal's width; nothing when standard error is
  /// no terminal.
  void status(std::string_view text);
  void clear_status();
  void error(const Error& error);
  bool interactive() const { return interactive_; }
  /// `text` in bold, green, ... when standard output is a terminal that shows colours.
  std::string bold(std::string_view text) const;
  std::string green(std::string_view text) const;
  std::string dim(std::string_view text) const;
  int columns() const;

 private:
  std::string styled(std::string_view text, std::string_view code) const;
  bool interactive_ = false;     // standard error is a terminal
  bool read_by_people_ = false;  // standard output is a terminal
  bool colours_ = false;
  bool status_shown_ = false;
};

}  // namespace kp::cli
