// SPDX-License-Identifier: Apache-2.0
// Inputs with what must come out, computed once for all candidates.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "harness/reference.h"
#include "harness/value_sets.h"

namespace kp::harness {

struct Case {
  const Workload* workload = nullptr;
  ValueSet set = ValueSet::kContract;
  std::uint64_t seed = 0;
  TensorValues inputs;    // rounded to their types
  TensorValues expected;  // in double
  TensorValues nudged;    // expected, for nudged inputs
  /// Norm of the difference of two runs of a reference that varies, by tensor; empty for others.
  std::map<std::string, double> spread;
};

class Cases {
 public:
  Cases(const Task& task, Reference& reference) : task_(task), reference_(reference) {}
  /// The case stays valid until the next call.
  Result<const Case*> get(const Workload& workload, ValueSet set, std::uint64_t seed,
                          Precision precision);

 private:
  const Task& task_;
  Reference& reference_;
  std::map<std::string, std::unique_ptr<Case>> cases_;
  std::size_t bytes_ = 0;
};

}  // namespace kp::harness
