// SPDX-License-Identifier: Apache-2.0
#include "harness/screen_trial.h"

#include <algorithm>

namespace kp::harness {
namespace {

constexpr std::uint64_t kOther = 1'000'003;  // from a seed to that of the other inputs
constexpr std::size_t kParts = 4;

bool is_data(const Tensor& tensor) {
  return (tensor.role == TensorRole::kInput || tensor.role == TensorRole::kInOut) &&
         !tensor.shape.empty();
}

}  // namespace

AttackMaterial Trial::material(const Tensor& tensor) const {
  const auto values = [&tensor](const TensorValues& tensors) {
    const auto found = tensors.find(tensor.name);
    return found == tensors.end() ? std::span<const double>() : std::span(found->second);
  };
  std::int64_t row = 1;
  if (!tensor.shape.empty()) row = tensor.shape.back().evaluate(sample->workload->axes).value_or(1);
  return {.dtype = tensor.dtype,
          .rank = tensor.shape.size(),
          .row = static_cast<std::size_t>(row),
          .expected = values(sample->expected),
          .other = values(other),
          .unread = values(unread),
          .before = values(sample->inputs)};
}

Result<Trial> Trials::draw(const Workload& workload, ValueSet set, std::uint64_t seed) {
  Trial trial;
  KP_TRY(trial.sample, cases_.get(workload, set, seed, task_.declaration.precision));
  const TensorValues& inputs = trial.sample->inputs;
  // Inputs that stand in a file are the same for every seed; other sets of values leave it.
  for (const ValueSet kind : {set, ValueSet::kNormal}) {
    KP_TRY(TensorValues others, draw_inputs(task_, workload, kind, seed + kOther));
    if (!trial.other.empty() || !keep_all_but_data(others, inputs)) continue;
    KP_TRY(trial.other, reference_.compute(workload, others));
  }
  TensorValues cut = inputs;
  if (cut_last_quarter(cut)) {
    KP_TRY(trial.unread, reference_.compute(workload, cut));
  }
  return trial;
}

/// Weights and scalars are known to whoever forges. False when nothing differs then.
bool Trials::keep_all_but_data(TensorValues& others, const TensorValues& inputs) const {
  bool differ = false;
  for (const Tensor& tensor : task_.declaration.tensors) {
    const auto own = inputs.find(tensor.name);
    if (own == inputs.end()) continue;
    if (!is_data(tensor)) others[tensor.name] = own->second;
    differ = differ || others[tensor.name] != own->second;
  }
  return differ;
}

/// The last quarter of each input repeats the first. Whole numbers stay: they may be indices that
/// have to fit together.
bool Trials::cut_last_quarter(TensorValues& inputs) const {
  bool any = false;
  for (const Tensor& tensor : task_.declaration.tensors) {
    if (!is_data(tensor) || !is_floating(tensor.dtype)) continue;
    std::vector<double>& values = inputs.at(tensor.name);
    const std::size_t quarter = values.size() / kParts;
    std::copy_n(values.begin(), quarter, values.end() - static_cast<std::ptrdiff_t>(quarter));
    any = any || quarter > 0;
  }
  return any;
}

}  // namespace kp::harness
