// SPDX-License-Identifier: Apache-2.0
// Records of comma-separated values in a text that may hold other things too. Nothing is copied:
// fields are pieces of the text.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kp::profile::ncu {

/// One record; fields without their quotes, with doubled quotes left as they are.
using Row = std::vector<std::string_view>;

class RowReader {
 public:
  explicit RowReader(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}
  bool at_end() const { return at_ >= text_.size(); }
  std::size_t offset() const { return at_; }
  void move_to(std::size_t offset) { at_ = offset; }
  /// The current line without its end; stays where it is.
  std::string_view line() const;
  void skip_line();
  /// Reads the record that starts here, over line ends inside quotes. False when the text ends
  /// inside quotes: the record was cut off.
  bool read(Row& row);

 private:
  bool read_field(Row& row);
  bool read_quoted(Row& row);

  std::string_view text_;
  std::size_t at_ = 0;
};

/// The field at that position; empty when the record has none there.
std::string_view field(const Row& row, const std::optional<std::size_t>& at);

/// Whether a record, and no line of the profiled program, may start here: with the number of a
/// launch, or with an empty field.
bool may_be_record(std::string_view line);

/// The field as it was meant: doubled quotes become one.
std::string unquoted(std::string_view field);

}  // namespace kp::profile::ncu
