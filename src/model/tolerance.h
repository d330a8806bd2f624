// SPDX-License-Identifier: Apache-2.0
// What the authors of a published benchmark let a result be off. It stands beside our own gates and
// never takes their place. docs/flashinfer.md says where the rules come from.
#pragma once
#include <optional>
#include <string_view>

namespace kp {

struct Tolerance {
  enum class Rule {
    kFlashInfer,  // an element is off when its absolute and its relative error are too large
    kSol,         // when the error is larger than absolute + relative * |expected|
  } rule = Rule::kSol;
  double absolute = 1e-2, relative = 1e-2;
  double matched = 1;              // the least share of elements that are not off
  std::optional<double> cap;       // on the absolute error of every element
  bool negative_infinity = false;  // where both sides have it, it is right
  bool operator==(const Tolerance&) const = default;
};

/// "FlashInfer-Bench", "SOL-ExecBench".
constexpr std::string_view name_of(Tolerance::Rule rule) {
  return rule == Tolerance::Rule::kFlashInfer ? "FlashInfer-Bench" : "SOL-ExecBench";
}

}  // namespace kp
