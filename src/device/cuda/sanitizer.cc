// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/sanitizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/child.h"
#include "base/parallel.h"
#include "base/text.h"
#include "device/cuda/sanitizer_log.h"

namespace kp::device::cuda {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr std::array kTools{"memcheck", "initcheck", "synccheck", "racecheck"};
constexpr std::string_view kRacecheck = "racecheck";
constexpr std::uint64_t kMostBytes = 1ull << 30;     // of all arrays: check workloads are small
constexpr std::uint64_t kMostLogBytes = 4ull << 20;  // a hundred findings take 100 KB
constexpr std::uint64_t kMostFileBytes = 2 * kMostBytes;

/// What one tool came to.
struct Inspection {
  std::optional<Crashed> found;
  std::string not_done;  // why; empty: it came to its end
};

/// Copies into shared memory by descriptors and by neighbours are not followed by racecheck.
bool beyond_racecheck(const BoundStep& step) {
  const auto* launch = std::get_if<BoundLaunch>(&step);
  return launch != nullptr &&
         (!launch->tensor_maps.empty() ||
          std::ranges::any_of(launch->shape.cluster, [](std::uint32_t n) { return n > 1; }));
}

std::string last_line(const std::string& text) {
  std::string last;
  for (const std::string_view line : split_lines(text)) {
    if (!trim(line).empty()) last = trim(line);
  }
  return last;
}

Inspection inspection_of(const ChildExit& end, const std::string& text, std::string_view tool) {
  const SanitizerLog log = read_sanitizer_log(text);
  if (!log.findings.empty()) return {.found = crash_of(log.findings.front(), tool)};
  if (end.timed_out) return {.not_done = "it did not end in time"};
  if (log.complete && end.ok()) return {};
  const std::string said = log.complaint.empty() ? last_line(end.error_output) : log.complaint;
  return {.not_done =
              fmt::format("it ended with status {}{}{}", end.code, said.empty() ? "" : ": ", said)};
}

class Sanitizer {
 public:
  Sanitizer(const SanitizeRequest& request, Path folder)
      : request_(request), folder_(std::move(folder)) {}

  Inspection inspect(std::string_view tool) const {
    if (tool == kRacecheck && std::ranges::any_of(request_.replay.steps, beyond_racecheck))
      return {.not_done = "it does not follow copies by tensor maps and within clusters"};
    const Path log = folder_ / fmt::format("{}.log", tool);
    const Result<ChildExit> end = run_child(command_of(tool, log));
    if (!end) return {.not_done = end.error().message};
    const Result<std::string> text = read_file(log, kMostLogBytes);
    return inspection_of(*end, text.value_or(std::string()), tool);
  }

 private:
  ChildSpec command_of(std::string_view tool, const Path& log) const {
    ChildSpec child;
    child.command = {request_.worker.sanitizer.string(),
                     "--tool",
                     std::string(tool),
                     "--log-file",
                     log.string(),
                     "--print-limit",
                     "20",
                     request_.worker.program.string(),
                     "replay",
                     (folder_ / "replay").string()};
    child.folder = folder_;
    child.environment = worker_environment();
    child.environment.push_back("TMPDIR=" + folder_.string());
    child.deadline = Milliseconds(std::llround(request_.deadline_seconds * 1000));
    child.file_bytes = kMostFileBytes;
    return child;
  }

  const SanitizeRequest& request_;
  Path folder_;
};

tl::unexpected<Error> not_done(const std::string& why) {
  return fail(ErrorCode::kUnsupported, why,
              "kernelpro doctor says whether compute-sanitizer works");
}

Result<Mishap> sum_up(std::span<const Inspection> inspections) {
  std::string missing;
  for (std::size_t i = 0; i < inspections.size(); ++i) {
    if (inspections[i].found) return Mishap(*inspections[i].found);
    if (inspections[i].not_done.empty()) continue;
    missing +=
        fmt::format("{}{} ({})", missing.empty() ? "" : ", ", kTools[i], inspections[i].not_done);
  }
  if (missing.empty()) return Mishap();
  return not_done(missing);
}

}  // namespace

Result<Mishap> sanitize(const SanitizeRequest& request) {
  if (request.worker.sanitizer.empty()) return not_done("compute-sanitizer is not on this machine");
  if (request.replay.array_bytes() > kMostBytes)
    return not_done("the smallest workload is too large for it");
  KP_TRY(const TemporaryFolder folder, TemporaryFolder::make("kernelpro-sanitizer"));
  KP_TRY_VOID(write_replay(folder.path() / "replay", request.replay));
  const Sanitizer sanitizer(request, folder.path());
  std::array<Inspection, kTools.size()> inspections;
  parallel_for(kTools.size(), kTools.size(),
               [&](std::size_t i) { inspections[i] = sanitizer.inspect(kTools[i]); });
  return sum_up(inspections);
}

}  // namespace kp::device::cuda
