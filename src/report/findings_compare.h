// SPDX-License-Identifier: Apache-2.0
// Two diagnoses of a program, before and after a change. Both in the form of findings_json, so that
// a stored one serves as well as a fresh one. Pure.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kp::report {

struct KernelChange {
  std::string name;  // as it is now; as it was when it is gone
  enum class Fate { kStayed, kGone, kNew } fate = Fate::kStayed;
  std::optional<double> share_before, share_now;
  std::vector<std::string> gone, appeared, stayed;  // tools
  std::vector<std::string> unseen;  // tools that found something and now lack counters to look
};

struct Comparison {
  std::vector<KernelChange> kernels;  // in the order of now, then those that are gone
};

/// Kernels are the same when their names are, or the names without parameters where these are
/// unique. kCorrupt when `before` is not of the form.
Result<Comparison> compare_findings(const nlohmann::json& before, const nlohmann::json& now);

nlohmann::json comparison_json(const Comparison& comparison);
/// Plain lines, which are Markdown as well.
std::string comparison_text(const Comparison& comparison);

}  // namespace kp::report
