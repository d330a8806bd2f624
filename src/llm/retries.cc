// SPDX-License-Identifier: Apache-2.0
#include "llm/retries.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "base/text.h"

namespace kp::llm {
namespace {

using std::chrono::milliseconds;

constexpr double kLongestHeader = 1e6;  // seconds; a server that asks for more is not obeyed anyway

/// Seconds since 1970 of a date as HTTP writes it (RFC 9110, section 5.6.7).
std::optional<std::time_t> seconds_of(const std::string& date) {
  std::tm parts{};
  const char* end = ::strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return ::timegm(&parts);
}

std::string text_of(milliseconds duration) {
  return format_duration_ns(static_cast<double>(duration.count()) * 1e6);
}

tl::unexpected<Error> given_up(Error error, const std::string& why) {
  error.message += why;
  return tl::unexpected(std::move(error));
}

}  // namespace

std::optional<milliseconds> wait_asked(const std::string& retry_after, const std::string& date) {
  std::optional<double> seconds = parse_real(retry_after);
  if (!seconds) {
    const auto until = seconds_of(retry_after);
    const auto now = seconds_of(date);
    if (until && now) seconds = std::difftime(*until, *now);
  }
  if (!seconds) return std::nullopt;
  return milliseconds(std::llround(std::clamp(*seconds, 0.0, kLongestHeader) * 1000));
}

// The process and the moment keep clients apart that fail together.
Retries::Retries(const RetryPolicy& policy, Clock& clock)
    : policy_(policy),
      clock_(clock),
      begin_(clock.now()),
      random_(static_cast<std::uint64_t>(begin_.time_since_epoch().count()),
              static_cast<std::uint64_t>(::getpid())) {}

milliseconds Retries::next_wait(const Trouble& trouble) {
  const double doubled = static_cast<double>(policy_.first.count()) * std::exp2(attempts_ - 1);
  const double most = std::min(doubled, static_cast<double>(policy_.longest.count()));
  const milliseconds jittered(std::llround(most * random_.uniform()));
  return std::max(jittered, trouble.wait.value_or(milliseconds(0)));
}

Result<void> Retries::after(const Trouble& trouble, const StopFlag& stop) {
  ++attempts_;
  if (!trouble.passing) return tl::unexpected(trouble.error);
  if (attempts_ >= policy_.attempts) {
    return given_up(trouble.error, fmt::format(" (tried {} times)", attempts_));
  }
  if (trouble.wait && *trouble.wait > policy_.patience) {
    return given_up(trouble.error, fmt::format("; it asks to wait {}", text_of(*trouble.wait)));
  }
  const milliseconds wait = next_wait(trouble);
  if (clock_.now() + wait - begin_ > policy_.total) {
    return given_up(trouble.error, fmt::format(" (tried for {})", text_of(policy_.total)));
  }
  clock_.sleep(wait, stop);
  if (stop.requested()) return tl::unexpected(stopped().error);
  return {};
}

}  // namespace kp::llm
