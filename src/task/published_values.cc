// SPDX-License-Identifier: Apache-2.0
// What `random` inputs of SOL-ExecBench must be for the reference to make sense: its own evaluator
// goes by their names. docs/flashinfer.md says what is taken over.
#include <algorithm>
#include <array>

#include "task/definition.h"

namespace kp::task {
namespace {

struct Rule {
  std::string_view name;
  bool suffix;  // also of names that end in _NAME, with a number behind it or not
  std::string_view distribution;
};

constexpr std::string_view kPositive = "uniform(0.1, 3)";
constexpr std::string_view kUnit = "uniform(-1, 1)";
constexpr std::string_view kFlags = "int(0, 1)";
constexpr std::string_view kShare = "uniform(0, 1)";

constexpr std::array kRules{
    Rule{"rstd", true, kPositive},
    Rule{"std", true, kPositive},
    Rule{"variance", true, kPositive},
    Rule{"var", true, kPositive},
    Rule{"cos", false, kUnit},
    Rule{"sin", false, kUnit},
    Rule{"cos_cached", false, kUnit},
    Rule{"sin_cached", false, kUnit},
    Rule{"rope_cos", false, kUnit},
    Rule{"rope_sin", false, kUnit},
    Rule{"A", false, "uniform(-1, -0.001)"},
    Rule{"A_log", false, "uniform(-5, -1)"},
    Rule{"A_cumsum", false, "uniform(-5, 0)"},
    Rule{"g", false, "uniform(-5, 0)"},
    Rule{"attn_weights", false, kShare},
    Rule{"attention_weights", false, kShare},
    Rule{"routing_weights", false, kShare},
    Rule{"x_mask", false, kFlags},
    Rule{"text_mask", false, kFlags},
    Rule{"aspect_ratio_mask", false, kFlags},
    Rule{"drop_mask", false, kFlags},
    Rule{"attention_mask", false, kFlags},
};

bool matches(const Rule& rule, std::string_view name) {
  if (!rule.suffix) return name == rule.name;
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  if (name == rule.name) return true;
  return name.ends_with(rule.name) && name.size() > rule.name.size() &&
         name[name.size() - rule.name.size() - 1] == '_';
}

/// Wide enough that its evaluator goes by the name.
bool has_named_values(const Tensor& tensor) {
  return is_floating(tensor.dtype) && size_of(tensor.dtype) > 1 && !tensor.shape.empty() &&
         tensor.role != TensorRole::kOutput;
}

}  // namespace

void add_usual_values(Definition& definition) {
  if (definition.publisher != Publisher::kSol) return;
  for (const Tensor& tensor : definition.declaration.tensors) {
    const auto rule = std::find_if(kRules.begin(), kRules.end(), [&tensor](const Rule& one) {
      return matches(one, tensor.name);
    });
    if (rule != kRules.end() && has_named_values(tensor))
      definition.distributions.emplace(tensor.name, rule->distribution);
  }
}

}  // namespace kp::task
