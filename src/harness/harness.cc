// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.h"

#include <fmt/format.h>

#include <chrono>

#include "harness/cases.h"
#include "harness/timing.h"
#include "harness/verify.h"

namespace kp::harness {

/// A candidate that is built and on the device.
struct Ready {
  build::Binary binary;
  std::unique_ptr<device::Loaded> loaded;
};

struct Harness::State {
  Task task;
  device::Device& device;
  build::Builder& builder;
  HarnessOptions options;
  std::unique_ptr<Reference> reference;
  std::unique_ptr<Cases> cases;

  Result<Outcome> judge(const Candidate& candidate, Depth depth, std::vector<std::string>& notes);
  Result<Outcome> judge_loaded(const VerifyRequest& request, std::vector<std::string>& notes);
  Result<std::variant<Ready, Outcome>> make_ready(const Candidate& candidate);
  VerifyRequest request(const Candidate& candidate, const Ready& ready, Depth depth);
};

namespace {

Result<std::unique_ptr<Reference>> open_reference(const Task& task, device::Device& device,
                                                  build::Builder& builder, const Path& cache) {
  if (task.oracle.kind == Oracle::Kind::kHost)
    return open_host_reference(task, builder.toolchain(), cache);
  return open_device_reference(task, device, builder);
}

void append(std::vector<std::string>& notes, std::vector<std::string> more) {
  notes.insert(notes.end(), more.begin(), more.end());
}

}  // namespace

Harness::Harness(std::unique_ptr<State> state) : state_(std::move(state)) {}
Harness::Harness(Harness&&) noexcept = default;
Harness& Harness::operator=(Harness&&) noexcept = default;
Harness::~Harness() = default;
const Task& Harness::task() const { return state_->task; }

Result<Harness> Harness::open(Task task, device::Device& device, build::Builder& builder,
                              HarnessOptions options) {
  if (options.cache.empty()) options.cache = cache_folder();
  for (const WorkloadRole role : {WorkloadRole::kCheck, WorkloadRole::kTime}) {
    if (task.with_role(role).empty())
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("task {} has no {} workload", task.name, name_of(role)),
                  "add one: small to check values, large to time");
  }
  auto state = std::make_unique<State>(
      State{std::move(task), device, builder, std::move(options), nullptr, nullptr});
  KP_TRY(state->reference, open_reference(state->task, device, builder, state->options.cache));
  state->cases = std::make_unique<Cases>(state->task, *state->reference);
  return Harness(std::move(state));
}

Result<Evaluation> Harness::evaluate(const Candidate& candidate, Depth depth) {
  const auto start = std::chrono::steady_clock::now();
  Evaluation evaluation{.depth = depth, .device = state_->device.describe().name};
  KP_TRY(evaluation.outcome, state_->judge(candidate, depth, evaluation.notes));
  evaluation.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return evaluation;
}

Result<std::optional<Outcome>> Harness::check(const Candidate& candidate) {
  KP_TRY(auto made, state_->make_ready(candidate));
  if (auto* bad = std::get_if<Outcome>(&made)) return std::optional<Outcome>(std::move(*bad));
  KP_TRY(auto verification,
         verify(state_->request(candidate, std::get<Ready>(made), Depth::kFinal)));
  return std::move(verification.bad);
}

Result<std::variant<Ready, Outcome>> Harness::State::make_ready(const Candidate& candidate) {
  using Made = std::variant<Ready, Outcome>;
  KP_TRY(build::BuildOutcome built, builder.build(task, candidate));
  if (auto* failed = std::get_if<BuildFailed>(&built)) return Made(Outcome(std::move(*failed)));
  if (auto* rejected = std::get_if<Rejected>(&built)) return Made(Outcome(std::move(*rejected)));
  if (auto* late = std::get_if<TimedOut>(&built)) return Made(Outcome(std::move(*late)));
  Ready ready{std::get<build::Binary>(std::move(built)), nullptr};
  KP_TRY(auto loaded, device.load(ready.binary));
  if (auto* crashed = std::get_if<Crashed>(&loaded)) return Made(Outcome(std::move(*crashed)));
  ready.loaded = std::get<std::unique_ptr<device::Loaded>>(std::move(loaded));
  return Made(std::move(ready));
}

VerifyRequest Harness::State::request(const Candidate& candidate, const Ready& ready, Depth depth) {
  return {.task = task,
          .candidate = candidate,
          .binary = ready.binary,
          .device = device,
          .loaded = *ready.loaded,
          .cases = *cases,
          .reference = *reference,
          .options = options,
          .depth = depth};
}

Result<Outcome> Harness::State::judge(const Candidate& candidate, Depth depth,
                                      std::vector<std::string>& notes) {
  KP_TRY(auto made, make_ready(candidate));
  if (auto* bad = std::get_if<Outcome>(&made)) return std::move(*bad);
  return judge_loaded(request(candidate, std::get<Ready>(made), depth), notes);
}

Result<Outcome> Harness::State::judge_loaded(const VerifyRequest& request,
                                             std::vector<std::string>& notes) {
  KP_TRY(Verification verification, verify(request));
  append(notes, std::move(verification.notes));
  if (verification.bad) return *std::move(verification.bad);
  KP_TRY(auto timed, time_candidate(request));
  if (auto* bad = std::get_if<Outcome>(&timed)) return std::move(*bad);
  Timed& good = std::get<Timed>(timed);
  append(notes, std::move(good.notes));
  good.measured.worst_error = verification.error;
  good.measured.error_limit = verification.limit;
  good.measured.deterministic = verification.deterministic;
  return Outcome(std::move(good.measured));
}

}  // namespace kp::harness
