// SPDX-License-Identifier: Apache-2.0
// What a round left behind: inputs, canaries and outputs, once nothing of the candidate can run.
#include <fmt/format.h>

#include "harness/contest_state.h"

namespace kp::harness {

Result<std::vector<Hash128>> Contest::State::fingerprints() {
  std::vector<Region> regions;
  for (const auto& set : playing(sides.front())) {
    const auto own = set->outputs();
    regions.insert(regions.end(), own.begin(), own.end());
  }
  return bench.referee.fingerprint(regions, print_key);
}

MaybeOutcome Contest::State::verify_outputs() {
  KP_TRY(auto bad, verify_kept());
  for (const auto& set : playing(sides.front())) {
    if (bad) return bad;
    KP_TRY(bad, answers ? verify_set(*set) : unwritten(*set));
    ++report.launches;
  }
  if (bad) return bad;
  KP_TRY(const auto now, fingerprints());
  if (now == prints) return std::optional<Outcome>{};
  return std::optional<Outcome>(
      Rejected{"late-write", fmt::format("outputs changed after the candidate's last launch had "
                                         "ended (workload {})",
                                         workload.name)});
}

/// Inputs are as they were, and nothing was written beside the arrays.
MaybeOutcome Contest::State::verify_kept() {
  std::vector<Filling> fillings;
  std::vector<const ArraySet::Kept*> kept;
  for (const auto& set : playing(sides.front())) {
    for (const ArraySet::Kept& item : set->kept()) {
      kept.push_back(&item);
      fillings.push_back(item.filling);
    }
  }
  KP_TRY(const auto results, bench.referee.recall(fillings));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].different == 0) continue;
    const std::string& name = kept[i]->name;
    const std::string where = fmt::format("`{}` (timed run, workload {})", name, workload.name);
    if (kept[i]->canary)
      return std::optional<Outcome>(Rejected{"canary", "the candidate wrote beside " + where});
    return std::optional<Outcome>(
        Rejected{"input-written", "the candidate changed its input " + where});
  }
  return std::optional<Outcome>{};
}

MaybeOutcome Contest::State::verify_set(const ArraySet& set) {
  KP_TRY_VOID(answers->compute(set, bench.referee));
  std::vector<const Tensor*> tensors;
  std::vector<Comparison> comparisons;
  for (const Tensor& tensor : request.task.declaration.tensors) {
    if (!is_output(tensor)) continue;
    tensors.push_back(&tensor);
    comparisons.push_back(
        answers->comparison(tensor, gate_for(request, tensor, ValueSet::kContract, workload), set));
  }
  KP_TRY(const auto verdicts, bench.referee.compare(comparisons));
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    KP_TRY(auto bad, judge(set, *tensors[i], comparisons[i], verdicts[i]));
    if (bad) return bad;
  }
  return std::optional<Outcome>{};
}

MaybeOutcome Contest::State::judge(const ArraySet& set, const Tensor& tensor,
                                   const Comparison& comparison, GateVerdict verdict) {
  const bool nearer =
      verdict.limit > 0 && verdict.error * report.limit >= report.error * verdict.limit;
  if (nearer) report.error = verdict.error, report.limit = verdict.limit;
  if (!verdict.failure) return std::optional<Outcome>{};
  GateFailure& failure = *verdict.failure;
  if (const Filling* poison = set.poison(tensor.name)) {
    Filling one = *poison;
    one.first = failure.index;
    one.count = 1;
    KP_TRY(const auto recalled, bench.referee.recall({&one, 1}));
    if (recalled[0].same == 1) failure.gate = "unwritten";
  }
  const std::size_t at = failure.index;
  KP_TRY(const auto got, bench.referee.read(comparison.got, tensor.dtype, at, at + 1));
  KP_TRY(const auto expected,
         bench.referee.read(comparison.expected, comparison.expected_dtype, at, at + 1));
  WrongAnswer wrong = wrong_answer({.tensor = tensor,
                                    .workload = workload,
                                    .failure = failure,
                                    .expected = expected[0],
                                    .got = got[0]});
  wrong.message += ", in a timed run";
  return std::optional<Outcome>(std::move(wrong));
}

/// All that can be said where nothing computes the outputs of large workloads: they were written.
MaybeOutcome Contest::State::unwritten(const ArraySet& set) {
  for (const Tensor& tensor : request.task.declaration.tensors) {
    const Filling* poison = set.poison(tensor.name);
    if (poison == nullptr || tensor.role != TensorRole::kOutput) continue;
    KP_TRY(const auto recalled, bench.referee.recall({poison, 1}));
    // Values of one or two bytes may equal the pattern by chance, one in 256 at most.
    if (recalled[0].same * 64 <= poison->count) continue;
    WrongAnswer wrong = wrong_answer({.tensor = tensor,
                                      .workload = workload,
                                      .failure = {"unwritten", 1, 0, recalled[0].first_same}});
    return std::optional<Outcome>(std::move(wrong));
  }
  return std::optional<Outcome>{};
}

}  // namespace kp::harness
