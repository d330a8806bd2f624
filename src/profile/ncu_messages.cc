// SPDX-License-Identifier: Apache-2.0
#include "profile/ncu_messages.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace kp::profile::ncu {
namespace {

constexpr std::string_view kError = "==ERROR==";
constexpr std::string_view kWarning = "==WARNING==";

/// A message of ncu that says why there are no counters. The most telling stand first: one failure
/// often prints several.
struct Known {
  std::string_view words;  // a part of the message
  ErrorCode code;
  std::string_view hint;
};
// Words and meanings: Nsight Compute documentation, "Profiler report messages", and recordings.
constexpr std::array kKnown{
    Known{"ERR_NVGPUCTRPERM", ErrorCode::kUnavailable,
          "counters are not permitted to this user: run the profiler as root, or let the "
          "administrator load the driver with NVreg_RestrictProfilingToAdminUsers=0 "
          "(`kernelpro doctor` says how)"},
    Known{"LibraryNotLoaded", ErrorCode::kUnavailable,
          "the profiler found no driver library that fits it: use an ncu as old as the driver, and "
          "start containers with NVIDIA_DRIVER_CAPABILITIES=compute,utility"},
    Known{"driver resource was unavailable", ErrorCode::kBusy,
          "somebody else holds the counters: stop DCGM (`dcgmi profile --pause`) or the other "
          "profiler, and record again"},
    Known{"Cannot lock GPU clock", ErrorCode::kUnavailable,
          "record again with --clock-control none"},
    Known{"nsight_compute/lock", ErrorCode::kBusy,
          "another user's lock file is in the way: set TMPDIR to a folder of your own"},
    Known{
        "did not match any", ErrorCode::kInvalidInput,
        "the sections or metrics asked for are not known to this version: record with --set full"},
    Known{"Failed to find metric", ErrorCode::kInvalidInput,
          "this GPU does not have that metric: record with --set full"},
    Known{"application returned an error code", ErrorCode::kInvalidInput,
          "the profiled program failed: run it alone first"},
    Known{
        "No kernels were profiled", ErrorCode::kInvalidInput,
        "no launch matched: record without -k and --launch-skip, and with --target-processes all"},
    Known{"An error occurred", ErrorCode::kUnavailable, "see the lines before it"}};

/// Metrics that were asked for and could not be had do not spoil the rest.
constexpr std::array<std::string_view, 4> kPartial{"Failed to find metric", "Could not collect",
                                                   "Failed to access the following",
                                                   "could not be collected"};

bool holds(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

}  // namespace

void Messages::take(std::string_view line) {
  const std::size_t error = line.find(kError);
  const std::size_t warning = line.find(kWarning);
  if (error != std::string_view::npos) {
    take_message(trim(line.substr(error + kError.size())));
  } else if (warning != std::string_view::npos) {
    take_message(trim(line.substr(warning + kWarning.size())));
  } else if (trim(line).starts_with("Metric Name") && holds(line, "Metric Value")) {
    plain_text_ = true;
  }
}

void Messages::take_message(std::string_view text) {
  const bool partial = std::any_of(kPartial.begin(), kPartial.end(),
                                   [&](std::string_view words) { return holds(text, words); });
  if (partial) notes_.push_back("the profiler says: " + std::string(text));
  for (std::size_t rank = 0; rank < kKnown.size(); ++rank) {
    const Known& known = kKnown[rank];
    if (!holds(text, known.words)) continue;
    if (!partial) {
      notes_.push_back("the profiler says: " + std::string(text) + " (" + std::string(known.hint) +
                       ")");
    }
    if (!found_ || rank < found_->rank) {
      found_ = Found{rank, std::string(text), std::string(known.hint), known.code};
    }
    return;
  }
}

std::optional<Error> Messages::failure() const {
  if (!found_) return std::nullopt;
  return Error{
      found_->code, "the profiler recorded nothing: " + found_->text, found_->hint, {}, {}};
}

}  // namespace kp::profile::ncu
