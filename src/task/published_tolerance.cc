// SPDX-License-Identifier: Apache-2.0
// What benchmarks allow a result to be off. docs/flashinfer.md says where each number is from.
#include <nlohmann/json.hpp>

#include "task/definition.h"

namespace kp::task {
namespace {

using Json = nlohmann::json;

constexpr double kSolMatched = 0.99;
constexpr double kMoeMatched = 0.95;

bool has_own_comparison(const Definition& definition) {
  return definition.op_type == "sampling" || definition.name.starts_with("dsa_");
}

Result<void> read_amount(const Json& json, const char* key, double& into, const SourceSpot& spot) {
  const Json value = json.value(key, Json());
  if (value.is_null()) return {};
  if (!value.is_number() || value.get<double>() < 0)
    return fail_member(spot, std::string("tolerance.") + key, "is not a number of at least 0");
  into = value.get<double>();
  return {};
}

}  // namespace

std::optional<Tolerance> usual_tolerance(const Definition& definition, Publisher publisher) {
  if (publisher == Publisher::kSol) return Tolerance{.matched = kSolMatched};
  if (publisher == Publisher::kNone || has_own_comparison(definition)) return {};
  const bool moe = definition.op_type == "moe" ||
                   definition.name.find("moe_fp8_block_scale") != std::string::npos;
  return Tolerance{.rule = Tolerance::Rule::kFlashInfer, .matched = moe ? kMoeMatched : 1.0};
}

Result<Tolerance> read_tolerance(const Json& json, const SourceSpot& spot) {
  if (!json.is_object()) return fail_member(spot, "tolerance", "is not an object");
  Tolerance tolerance{.matched = kSolMatched};
  KP_TRY_VOID(read_amount(json, "max_atol", tolerance.absolute, spot));
  KP_TRY_VOID(read_amount(json, "max_rtol", tolerance.relative, spot));
  KP_TRY_VOID(read_amount(json, "required_matched_ratio", tolerance.matched, spot));
  double cap = -1;
  KP_TRY_VOID(read_amount(json, "max_error_cap", cap, spot));
  if (cap >= 0) tolerance.cap = cap;
  const Json flag = json.value("allow_negative_inf", Json(false));
  if (!flag.is_boolean())
    return fail_member(spot, "tolerance.allow_negative_inf", "is neither true nor false");
  tolerance.negative_infinity = flag.get<bool>();
  return tolerance;
}

}  // namespace kp::task
