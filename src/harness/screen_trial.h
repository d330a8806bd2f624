// SPDX-License-Identifier: Apache-2.0
// One draw of inputs with all that a screen needs to forge outputs for it.
#pragma once
#include "harness/cases.h"
#include "harness/screen_attack.h"

namespace kp::harness {

struct Trial {
  const Case* sample = nullptr;  // until the next draw
  TensorValues other, unread;    // empty where the task has no such thing
  AttackMaterial material(const Tensor& tensor) const;
};

/// Of one workload: cases are known by its name.
class Trials {
 public:
  Trials(const Task& task, Reference& reference)
      : task_(task), reference_(reference), cases_(task, reference) {}
  Result<Trial> draw(const Workload& workload, ValueSet set, std::uint64_t seed);

 private:
  bool keep_all_but_data(TensorValues& others, const TensorValues& inputs) const;
  bool cut_last_quarter(TensorValues& inputs) const;

  const Task& task_;
  Reference& reference_;
  Cases cases_;
};

}  // namespace kp::harness
