// SPDX-License-Identifier: Apache-2.0
#include "report/findings_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "model/json_reader.h"
#include "profile/ncu.h"

namespace kp::report {
namespace {

using Json = nlohmann::json;

struct Kernel {
  std::string name;
  std::optional<double> share;
  std::vector<std::string> tools;  // each once, in rank order
};

Result<std::vector<Kernel>> kernels_of(const Json& document) {
  JsonReader::Fault fault;
  std::vector<Kernel> kernels;
  JsonReader(document, "findings", fault).each("kernels", [&](const JsonReader& in) {
    Kernel kernel{in.text("name"), {}, {}};
    if (in.has("time_share")) kernel.share = in.number("time_share");
    in.each("findings", [&](const JsonReader& finding) {
      const std::string tool = finding.text("tool");
      if (std::find(kernel.tools.begin(), kernel.tools.end(), tool) == kernel.tools.end()) {
        kernel.tools.push_back(tool);
      }
    });
    kernels.push_back(std::move(kernel));
  });
  return value_or_fault(std::move(kernels), std::move(fault));
}

/// The one kernel for which `same` holds; null when there is none or are several.
template <class Same>
const Kernel* only(const std::vector<Kernel>& kernels, Same same) {
  const Kernel* found = nullptr;
  for (const Kernel& kernel : kernels) {
    if (!same(kernel)) continue;
    if (found) return nullptr;
    found = &kernel;
  }
  return found;
}

const Kernel* counterpart(const Kernel& kernel, const std::vector<Kernel>& own,
                          const std::vector<Kernel>& other) {
  const auto named = [&](const Kernel& k) { return k.name == kernel.name; };
  if (const Kernel* same = only(other, named)) return same;
  const std::string brief = profile::short_name(kernel.name);
  const auto called = [&](const Kernel& k) { return profile::short_name(k.name) == brief; };
  return only(own, called) ? only(other, called) : nullptr;
}

bool holds(const std::vector<std::string>& tools, const std::string& tool) {
  return std::find(tools.begin(), tools.end(), tool) != tools.end();
}

/// Tools that could not look at some kernel: those of the notes "unknown: a, b need METRIC".
std::vector<std::string> blind_tools(const Json& document) {
  constexpr std::string_view kBefore = "unknown: ";
  std::vector<std::string> tools;
  for (const Json& note : document.value("notes", Json::array())) {
    const std::string text = note.is_string() ? note.get<std::string>() : "";
    const std::size_t end = text.find(" need");
    if (!text.starts_with(kBefore) || end == std::string::npos) continue;
    for (const std::string_view tool :
         split(std::string_view(text).substr(kBefore.size(), end - kBefore.size()), ',')) {
      tools.emplace_back(trim(tool));
    }
  }
  return tools;
}

KernelChange change_of(const Kernel& now, const Kernel* before,
                       const std::vector<std::string>& blind) {
  KernelChange change{now.name, KernelChange::Fate::kNew, {}, now.share, {}, {}, {}, {}};
  if (!before) {
    change.appeared = now.tools;
    return change;
  }
  change.fate = KernelChange::Fate::kStayed;
  change.share_before = before->share;
  for (const std::string& tool : now.tools) {
    (holds(before->tools, tool) ? change.stayed : change.appeared).push_back(tool);
  }
  for (const std::string& tool : before->tools) {
    if (!holds(now.tools, tool)) (holds(blind, tool) ? change.unseen : change.gone).push_back(tool);
  }
  return change;
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "an unknown share";
}

std::string_view name_of(KernelChange::Fate fate) {
  switch (fate) {
    case KernelChange::Fate::kStayed:
      return "stayed";
    case KernelChange::Fate::kGone:
      return "gone";
    case KernelChange::Fate::kNew:
      return "new";
  }
  return "stayed";
}

std::string shares_text(const KernelChange& change) {
  if (change.fate == KernelChange::Fate::kGone) {
    return fmt::format("no longer there, had {} of the GPU time", percent(change.share_before));
  }
  if (change.fate == KernelChange::Fate::kNew) {
    return fmt::format("new, {} of the GPU time", percent(change.share_now));
  }
  return fmt::format("{} of the GPU time, before {}", percent(change.share_now),
                     percent(change.share_before));
}

}  // namespace

Result<Comparison> compare_findings(const Json& before, const Json& now) {
  KP_TRY(const std::vector<Kernel> old, kernels_of(before));
  KP_TRY(const std::vector<Kernel> fresh, kernels_of(now));
  Comparison comparison;
  const std::vector<std::string> blind = blind_tools(now);
  std::vector<const Kernel*> matched;
  for (const Kernel& kernel : fresh) {
    const Kernel* same = counterpart(kernel, fresh, old);
    matched.push_back(same);
    comparison.kernels.push_back(change_of(kernel, same, blind));
  }
  for (const Kernel& kernel : old) {
    if (std::find(matched.begin(), matched.end(), &kernel) != matched.end()) continue;
    comparison.kernels.push_back(
        {kernel.name, KernelChange::Fate::kGone, kernel.share, {}, kernel.tools, {}, {}, {}});
  }
  return comparison;
}

Json comparison_json(const Comparison& comparison) {
  Json kernels = Json::array();
  for (const KernelChange& change : comparison.kernels) {
    kernels.push_back({{"name", change.name},
                       {"kernel", name_of(change.fate)},
                       {"time_share_before", or_null(change.share_before)},
                       {"time_share", or_null(change.share_now)},
                       {"gone", change.gone},
                       {"appeared", change.appeared},
                       {"stayed", change.stayed},
                       {"unseen", change.unseen}});
  }
  return {{"kernels", std::move(kernels)}};
}

std::string comparison_text(const Comparison& comparison) {
  std::string text;
  for (const KernelChange& change : comparison.kernels) {
    text += fmt::format("- `{}`: {}\n", change.name, shares_text(change));
    const auto add = [&](std::string_view what, const std::vector<std::string>& tools) {
      if (!tools.empty()) text += fmt::format("  - {}: {}\n", what, join(tools, ", "));
    };
    add("went away", change.gone);
    add("appeared", change.appeared);
    add("stayed", change.stayed);
    add("can no longer be seen, counters are missing", change.unseen);
  }
  return text;
}

}  // namespace kp::report
