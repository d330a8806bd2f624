// SPDX-License-Identifier: Apache-2.0
// What Nsight Compute says on lines of its own (`==ERROR== ...`), beside its tables.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kp::profile::ncu {

/// The messages of one recording.
class Messages {
 public:
  /// Looks at a line that is no part of a table. Lines of the profiled program are passed over.
  void take(std::string_view line);
  /// Why nothing was recorded: the profiler's own words with what to do. Absent when it says
  /// nothing of the kind.
  std::optional<Error> failure() const;
  /// What a reader of a recording that holds something should know.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Whether a line looks like the profiler's text for people, written without --csv.
  bool plain_text() const { return plain_text_; }

 private:
  struct Found {
    std::size_t rank = 0;  // the most telling message comes first
    std::string text, hint;
    ErrorCode code = ErrorCode::kUnavailable;
  };
  void take_message(std::string_view text);

  std::optional<Found> found_;
  std::vector<std::string> notes_;
  bool plain_text_ = false;
};

}  // namespace kp::profile::ncu
