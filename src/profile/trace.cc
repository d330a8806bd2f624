// SPDX-License-Identifier: Apache-2.0
#include "profile/trace.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace kp::profile {
namespace {

using Origin = std::optional<std::int64_t>;  // of times, ns

/// A line's words, from left to right; good() stays true until one is missing or no number.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  std::string_view text() {
    const std::size_t space = rest_.find(' ');
    const std::string_view word = rest_.substr(0, space);
    rest_.remove_prefix(space == std::string_view::npos ? rest_.size() : space + 1);
    good_ = good_ && !word.empty();
    return word;
  }
  std::string_view rest() const { return rest_; }
  template <class Number>
  Number number() {
    const std::string_view word = text();
    Number value{};
    const char* end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data(), end, value);
    good_ = good_ && error == std::errc() && at == end;
    return value;
  }
  std::int64_t count() {
    const auto value = number<std::int64_t>();
    good_ = good_ && value >= 0;
    return value;
  }
  /// Since `origin`, the first time that was read: times since 1970 are beyond what a double can
  /// tell apart.
  Interval interval(Origin& origin) {
    const std::int64_t start = count(), end = count();
    good_ = good_ && end >= start;
    const std::int64_t zero = origin.value_or(start);
    if (good_) origin = zero;
    return {static_cast<double>(start - zero), static_cast<double>(end - zero)};
  }
  bool good() const { return good_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

void read_device(Words& words, Trace& trace) {
  words.count();
  const std::int64_t major = words.count(), minor = words.count();
  if (!words.good() || !trace.device.empty()) return;  // the first one is what is shown
  trace.device = words.rest();
  trace.architecture = fmt::format("sm_{}{}", major, minor);
}

bool read_name(Words& words, Trace& trace) {
  const bool next = words.count() == static_cast<std::int64_t>(trace.names.size());
  trace.names.emplace_back(words.rest());
  return next && !trace.names.back().empty();
}

bool read_launch(Words& words, Origin& origin, Trace& trace) {
  TracedLaunch launch{.name = words.number<int>(), .when = words.interval(origin)};
  words.count();  // device
  words.count();  // stream
  for (std::int64_t& side : launch.grid) side = words.count();
  for (std::int64_t& side : launch.block) side = words.count();
  launch.registers = words.count();
  launch.static_shared = words.count();
  launch.dynamic_shared = words.count();
  launch.local = words.count();
  launch.in_graph = words.count() != 0;
  const bool known = launch.name >= 0 && std::size_t(launch.name) < trace.names.size();
  // CUPTI leaves times out where it could not take them.
  if (launch.when.end > launch.when.start) {
    trace.launches.push_back(launch);
    trace.activity.work.push_back({.kind = GpuWork::Kind::kKernel, .when = launch.when});
  }
  return known;
}

bool read_copy(Words& words, Origin& origin, Trace& trace) {
  GpuWork copy{.when = words.interval(origin), .bytes = static_cast<double>(words.count())};
  const std::string_view kind = words.text();
  copy.kind = kind == "h" ? GpuWork::Kind::kHostCopy : GpuWork::Kind::kDeviceCopy;
  copy.pageable = words.count() != 0;
  trace.activity.work.push_back(copy);
  return kind == "h" || kind == "d";
}

std::optional<HostCall::Kind> call_kind(std::string_view letter) {
  using Kind = HostCall::Kind;
  if (letter == "l") return Kind::kLaunch;
  if (letter == "g") return Kind::kGraphLaunch;
  if (letter == "s") return Kind::kSync;
  if (letter == "a") return Kind::kAllocation;
  if (letter == "u") return Kind::kSetUp;
  return std::nullopt;
}

bool read_call(Words& words, Origin& origin, Trace& trace) {
  const auto kind = call_kind(words.text());
  if (!kind) return false;
  HostCall call{.kind = *kind, .when = words.interval(origin)};
  call.thread = static_cast<std::uint64_t>(words.count());
  trace.activity.calls.push_back(call);
  return true;
}

bool read_line(std::string_view line, Origin& origin, Trace& trace) {
  Words words(line);
  const std::string_view letter = words.text();
  bool good = letter.size() == 1;
  switch (good ? letter.front() : ' ') {
    case 'd':
      read_device(words, trace);
      break;
    case 'n':
      good = read_name(words, trace);
      break;
    case 'k':
      good = read_launch(words, origin, trace);
      break;
    case 'c':
      good = read_copy(words, origin, trace);
      break;
    case 'f':
      trace.activity.work.push_back({.kind = GpuWork::Kind::kFill, .when = words.interval(origin)});
      break;
    case 'a':
      good = read_call(words, origin, trace);
      break;
    case 'x':
      trace.notes.emplace_back(words.rest());
      break;
    case 'e':
      trace.dropped = words.count();
      trace.complete = true;
      break;
    default:
      return false;
  }
  return good && words.good();
}

bool read_count_line(std::string_view line, Counts& counts, int& current) {
  Words words(line);
  const std::string_view letter = words.text();
  if (letter == "x") {
    counts.notes.emplace_back(words.rest());
    return true;
  }
  if (letter == "k") {
    current = words.number<int>();
    counts.launches[current];
    return words.good() && current >= 0;
  }
  const std::string name(words.text());
  const auto value = words.number<double>();
  if (letter != "v" || !words.good() || current < 0) return false;
  if (std::isfinite(value)) counts.launches[current][name] = value;
  return true;
}

/// `read` gets each whole line after the first, which must be `title`.
template <class Read>
Result<void> read_lines(std::string_view text, std::string_view title, const std::string& file,
                        Read read) {
  int number = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (++number == 1 ? line == title : read(line)) continue;
    return fail(
        ErrorCode::kCorrupt,
        fmt::format("{}:{}: not a line of a recording: {}", file, number, line.substr(0, 80)),
        "the program that was recorded may have written into it; try again");
  }
  if (number > 0) return {};
  return fail(ErrorCode::kCorrupt, fmt::format("{} is empty", file));
}

}  // namespace

Result<Trace> parse_trace(std::string_view text, const std::string& file) {
  Trace trace;
  Origin origin;
  KP_TRY_VOID(read_lines(text, "kernelpro-trace 1", file,
                         [&](std::string_view line) { return read_line(line, origin, trace); }));
  return trace;
}

Result<Counts> parse_counts(std::string_view text, const std::string& file) {
  Counts counts;
  int current = -1;
  KP_TRY_VOID(read_lines(text, "kernelpro-counts 1", file, [&](std::string_view line) {
    return read_count_line(line, counts, current);
  }));
  return counts;
}

}  // namespace kp::profile
