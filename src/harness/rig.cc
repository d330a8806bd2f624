// SPDX-License-Identifier: Apache-2.0
#include "harness/rig.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/convert.h"
#include "harness/sampling.h"

namespace kp::harness {
namespace {

using MaybeOutcome = Result<std::optional<Outcome>>;

constexpr std::uint64_t kTimingPoison = 3;  // random bits
constexpr std::uint64_t kProbeBlocks = 4;
constexpr std::uint64_t kWrittenBlock = 64;  // bytes: no result equals that many random bits

Bytes encoded(DType dtype, const std::vector<double>& values) {
  Bytes bytes(values.size() * size_of(dtype));
  encode(dtype, values, bytes);
  return bytes;
}

}  // namespace

std::optional<Outcome> outcome_of(const device::Mishap& mishap) {
  if (const auto* crashed = std::get_if<Crashed>(&mishap)) return Outcome(*crashed);
  if (const auto* late = std::get_if<TimedOut>(&mishap)) return Outcome(*late);
  return {};
}

Result<void> Rig::write_inputs(const TensorValues& inputs, bool weights) {
  for (const ArraySpec& spec : arrays_.specs()) {
    const auto given = inputs.find(spec.name);
    const bool wanted = given != inputs.end() && spec.weight == weights;
    if (!wanted) continue;
    const Bytes bytes = encoded(spec.dtype, given->second);
    const bool whole = bytes.size() == spec.bytes();
    KP_TRY_VOID(arrays_.write(spec.name, whole ? bytes : repeated(bytes, spec.bytes())));
  }
  return {};
}

Result<void> Rig::zero_scratch() {
  for (const ArraySpec& spec : arrays_.specs()) {
    if (spec.use == ArraySpec::Use::kZeroed)
      KP_TRY_VOID(arrays_.write(spec.name, Bytes(spec.bytes())));
  }
  return {};
}

Result<void> Rig::poison(std::uint64_t seed) {
  for (const ArraySpec& spec : arrays_.specs()) {
    if (spec.use == ArraySpec::Use::kScratch || spec.use == ArraySpec::Use::kWritten)
      KP_TRY_VOID(arrays_.poison(spec.name, seed));
  }
  return {};
}

MaybeOutcome Rig::execute(const std::vector<device::BoundStep>& steps, const Variation& variation) {
  if (steps.empty()) return std::optional<Outcome>{};
  KP_TRY(const device::Mishap mishap,
         request_.device.run(request_.loaded, {.steps = steps,
                                               .inspect = variation.inspect,
                                               .schedule_seed = variation.schedule_seed,
                                               .deadline_seconds = request_.deadline_seconds,
                                               .instruction_budget = request_.instruction_budget}));
  return outcome_of(mishap);
}

MaybeOutcome Rig::set_up(const TensorValues& inputs, const Variation& variation) {
  KP_TRY_VOID(zero_scratch());
  KP_TRY_VOID(arrays_.set_canaries(variation.poison_seed));
  KP_TRY_VOID(write_inputs(inputs, true));
  KP_TRY(auto bad, execute(prepare_, variation));
  KP_TRY_VOID(write_inputs(inputs, false));
  return bad;
}

MaybeOutcome Rig::changed_input(const TensorValues& inputs) {
  for (const ArraySpec& spec : arrays_.specs()) {
    const auto given = inputs.find(spec.name);
    if (spec.use != ArraySpec::Use::kRead || given == inputs.end()) continue;
    KP_TRY(const Bytes now, arrays_.read(spec.name));
    if (now == encoded(spec.dtype, given->second)) continue;
    return std::optional<Outcome>(
        Rejected{"input-written", fmt::format("the candidate changed its input `{}` (workload {})",
                                              spec.name, request_.workload.name)});
  }
  return std::optional<Outcome>{};
}

Result<std::vector<OutputState>> Rig::outputs(std::uint64_t poison_seed) {
  std::vector<OutputState> states;
  for (const ArraySpec& spec : arrays_.specs()) {
    const Tensor* tensor = request_.task.declaration.find(spec.name);
    if (tensor == nullptr || !is_output(*tensor)) continue;
    OutputState& state = states.emplace_back();
    state.tensor = tensor;
    KP_TRY(state.bytes, arrays_.read(spec.name));
    if (spec.use == ArraySpec::Use::kWritten) state.poison = poison_for(spec, poison_seed);
    if (const auto offset = arrays_.first_unwritten(spec.name))
      state.unwritten = *offset / size_of(spec.dtype);
    state.values.resize(spec.count);
    decode(spec.dtype, state.bytes, state.values);
  }
  return states;
}

MaybeOutcome Rig::broken_canary(std::uint64_t seed) {
  KP_TRY(const auto name, arrays_.broken_canary(seed));
  if (!name) return std::optional<Outcome>{};
  return std::optional<Outcome>(Rejected{
      "canary",
      fmt::format("the candidate wrote beside `{}` (workload {})", *name, request_.workload.name)});
}

Result<RunOutcome> Rig::run(const TensorValues& inputs, const Variation& variation) {
  KP_TRY_VOID(poison(variation.poison_seed));
  KP_TRY(auto bad, set_up(inputs, variation));
  if (!bad) {
    KP_TRY(bad, execute(steps_, variation));
  }
  if (!bad) {
    KP_TRY(bad, broken_canary(variation.poison_seed));
  }
  if (!bad) {
    KP_TRY(bad, changed_input(inputs));
  }
  if (bad) return RunOutcome(*std::move(bad));
  KP_TRY(auto states, outputs(variation.poison_seed));
  return RunOutcome(std::move(states));
}

MaybeOutcome Rig::unwritten_block(std::uint64_t poison_seed) {
  for (const ArraySpec& spec : arrays_.specs()) {
    if (spec.use != ArraySpec::Use::kWritten) continue;
    KP_TRY(const Bytes now, arrays_.read(spec.name));
    const Bytes before = poison_for(spec, poison_seed);
    for (std::uint64_t at = 0; at < now.size(); at += kWrittenBlock) {
      const std::uint64_t size = std::min<std::uint64_t>(kWrittenBlock, now.size() - at);
      if (std::memcmp(&now[at], &before[at], size) != 0) continue;
      WrongAnswer wrong{
          .message = fmt::format("`{}` stays unwritten from element {} on (workload {})", spec.name,
                                 at / size_of(spec.dtype), request_.workload.name),
          .value_set = "contract",
          .workload = request_.workload.name,
          .tensor = spec.name,
          .gate = "unwritten"};
      return std::optional<Outcome>(std::move(wrong));
    }
  }
  return std::optional<Outcome>{};
}

MaybeOutcome Rig::time_prepare(device::TimeRequest request, Timing& timing) {
  if (prepare_.empty()) return std::optional<Outcome>{};
  request.steps = prepare_;
  KP_TRY(const device::TimeReport report, request_.device.time(request_.loaded, request));
  timing.prepare_nanoseconds = report.nanoseconds;
  return outcome_of(report.mishap);
}

/// A few blocks tell what a block costs.
Result<std::uint64_t> Rig::blocks_to_sample(const device::TimeRequest& request,
                                            std::uint64_t instructions) {
  device::TimeRequest probe = request;
  probe.sample_blocks = kProbeBlocks;
  KP_TRY(const device::TimeReport report, request_.device.time(request_.loaded, probe));
  const auto wave = static_cast<std::uint64_t>(request_.device.describe().spec.sm_count);
  return affordable_blocks(launch_costs(steps_, report), static_cast<double>(instructions), wave,
                           request.sample_blocks);
}

Result<std::variant<Rig::Timing, Outcome>> Rig::time(const TensorValues& inputs,
                                                     const TimingRequest& wanted) {
  using TimingOrOutcome = std::variant<Timing, Outcome>;
  if (wanted.expect_all_written) KP_TRY_VOID(poison(kTimingPoison));
  KP_TRY(auto bad, set_up(inputs, {.poison_seed = kTimingPoison}));
  if (bad) return TimingOrOutcome(*std::move(bad));
  device::TimeRequest request{.steps = steps_,
                              .sample_blocks = wanted.sample_blocks,
                              .instruction_budget = request_.instruction_budget,
                              .deadline_seconds = request_.deadline_seconds};
  const bool samples = request_.device.describe().timing == Grade::kModelled;
  if (samples && wanted.sample_blocks > 0 && wanted.sample_instructions > 0) {
    KP_TRY(request.sample_blocks, blocks_to_sample(request, wanted.sample_instructions));
    KP_TRY(bad, set_up(inputs, {.poison_seed = kTimingPoison}));
    if (bad) return TimingOrOutcome(*std::move(bad));
  }
  Timing timing{.steps = steps_};
  KP_TRY(timing.report, request_.device.time(request_.loaded, request));
  bad = outcome_of(timing.report.mishap);
  if (!bad) {
    KP_TRY(bad, broken_canary(kTimingPoison));
  }
  if (!bad && wanted.expect_all_written) {
    KP_TRY(bad, unwritten_block(kTimingPoison));
  }
  if (!bad) {
    KP_TRY(bad, time_prepare(request, timing));
  }
  if (bad) return TimingOrOutcome(*std::move(bad));
  return TimingOrOutcome(std::move(timing));
}

}  // namespace kp::harness
