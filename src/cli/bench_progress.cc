// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_progress.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kp::cli {
namespace {

std::string line_of(const suite::RunResult& result) {
  const std::string name = suite::to_string(result.key);
  if (result.quarantined) return fmt::format("{}: in quarantine: {}", name, result.reason);
  if (!result.best) return fmt::format("{}: no correct version was found", name);
  const auto speedup = result.best->speedup;
  return fmt::format(
      "{}: {} {} after {} evaluations ({})", name,
      speedup ? fmt::format("{:.2f}x", *speedup) : format_duration_ns(result.best->nanoseconds),
      name_of(result.best->grade), result.evaluations, result.reason);
}

}  // namespace

void BenchProgress::begun(const suite::RunKey& key, const std::string&) {
  judged_[key] = 0;
  show();
}

void BenchProgress::judged(const suite::RunKey& key, const store::NodeRecord&) {
  ++judged_[key];
  show();
}

void BenchProgress::ended(const suite::RunResult& result) {
  judged_.erase(result.key);
  ++ended_;
  terminal_.note(fmt::format("[{}/{}] {}", ended_, runs_, line_of(result)));
  show();
}

void BenchProgress::failed(const suite::RunKey& key, const Error& error) {
  judged_.erase(key);
  ++ended_;
  terminal_.note(
      fmt::format("[{}/{}] {} failed: {}", ended_, runs_, suite::to_string(key), error.text()));
  show();
}

void BenchProgress::show() {
  std::vector<std::string> going;
  for (const auto& [key, judged] : judged_) {
    going.push_back(fmt::format("{} #{}", suite::to_string(key), judged));
  }
  terminal_.status(fmt::format("[{}/{}] {}", ended_, runs_, join(going, "; ")));
}

}  // namespace kp::cli
