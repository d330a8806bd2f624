// SPDX-License-Identifier: Apache-2.0
// Is this output right? The formulas and the reasons for every constant are in docs/harness.md; the
// arithmetic that host and device share is gate_rules.h.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/gate_rules.h"
#include "model/dtype.h"

namespace kp::harness {

struct GateRequest {
  DType dtype = DType::kF32;
  Precision precision = Precision::kF32;
  bool native = false;               // inputs or outputs of 16 bits: bf16 then has the tighter gate
  bool zero_mean = false;            // see has_zero_mean()
  bool whole = false;                // inputs are small whole numbers: a whole result must be exact
  double spread = 0;                 // of the reference itself, as a norm over the whole tensor
  double slack = 1;                  // on every limit
  std::span<const double> got;       // decoded from the device
  std::span<const double> expected;  // the reference in double, not rounded
  std::span<const double> nudged;    // the reference on nudged inputs
};

struct GateFailure {
  std::string gate;  // centred-l2 | row | element | special-values | exact
  double error = 0, limit = 0;
  std::size_t index = 0;  // flat, of the worst element
};

struct GateVerdict {
  std::optional<GateFailure> failure;  // the first, in the order of checks
  double error = 0, limit = 0;         // of the whole tensor, relative to the (centred) norm
};

GateVerdict check_output(const GateRequest& request);

/// The same decision when somebody else went through the elements, such as a device.
struct OutputFacts {
  std::optional<std::size_t> special, inexact;  // first offending element, of floats, of integers
  rules::Sums whole;
  std::size_t worst = 0;                // element with the largest error
  std::optional<std::size_t> bad_tile;  // where the first tile begins that breaks a limit
};
struct Elements {
  std::vector<double> got, expected, nudged;
};
/// `read(begin, end)` gives the elements of a range; only asked for where something is wrong.
using ElementReader = std::function<Elements(std::size_t, std::size_t)>;
GateVerdict decide(const GateRequest& request, std::size_t count, const OutputFacts& facts,
                   const ElementReader& read);

rules::Gate gate_of(const GateRequest& request);

/// Distance of two runs of the same candidate as a share of what the class allows.
double spread_share(const GateRequest& request, std::span<const double> other);

}  // namespace kp::harness
