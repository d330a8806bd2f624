// SPDX-License-Identifier: Apache-2.0
// When to try again: exponential backoff with full jitter, or what the server asks for.
#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "base/random.h"
#include "llm/clock.h"
#include "llm/trouble.h"

namespace kp::llm {

struct RetryPolicy {
  int attempts = 6;
  std::chrono::milliseconds first{1'000};       // the longest wait before the second attempt
  std::chrono::milliseconds longest{60'000};    // of one wait of our own
  std::chrono::milliseconds patience{120'000};  // of one wait that the server asks for
  std::chrono::milliseconds total{1'800'000};   // from the first attempt to the last
};

/// What a retry-after header asks for: seconds, or a date against the date of the same answer (the
/// clocks of two machines differ). Absent when it says neither.
std::optional<std::chrono::milliseconds> wait_asked(const std::string& retry_after,
                                                    const std::string& date);

/// Of one call.
class Retries {
 public:
  Retries(const RetryPolicy& policy, Clock& clock);
  /// Waits before the next attempt. Fails with the trouble's own error, and how often was tried,
  /// when there is to be none.
  Result<void> after(const Trouble& trouble, const StopFlag& stop);

 private:
  std::chrono::milliseconds next_wait(const Trouble& trouble);

  RetryPolicy policy_;
  Clock& clock_;
  std::chrono::steady_clock::time_point begin_;
  Random random_;
  int attempts_ = 0;
};

}  // namespace kp::llm
