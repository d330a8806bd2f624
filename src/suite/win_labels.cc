// SPDX-License-Identifier: Apache-2.0
#include "suite/win_labels.h"

#include <algorithm>
#include <optional>
#include <set>

#include "diagnose/actions.h"
#include "task/task.h"

namespace kp::suite {
namespace {

namespace action = diagnose::action;

constexpr std::string_view kKernelActions[] = {
    action::kPadShared,
    action::kSwizzleShared,
    action::kTileThroughShared,
    action::kSwapIndices,
    action::kAlignRows,
    action::kWidenAccess,
    action::kPackedConvert,
    action::kFuseMultiplyAdd,
    action::kStrengthReduce,
    action::kBlockSize,
    action::kLaunchBounds,
    action::kFewerRegisters,
    action::kLessShared,
    action::kMoreBlocks,
    action::kGridStride,
    action::kUnroll,
    action::kWarpShuffle,
    action::kRowPerWarp,
    action::kReuseThroughShared,
    action::kRegisterTile,
    action::kTensorCores,
    action::kDoubleBuffer,
    action::kBlockOrder,
    action::kReadOnlyLoads,
    action::kConstantIndex,
    action::kTableToShared,
    action::kAggregateAtomics,
    action::kPrivatise,
    action::kBalanceLanes,
    action::kNarrowScope,
    action::kWarpgroupMma,
    action::kFeedTensorCores,
    action::kTune,
};
constexpr std::string_view kPrecisionActions[] = {action::kFloatLiterals, action::kFastMath,
                                                  action::kSplitEmulation};
constexpr std::string_view kLaunchActions[] = {action::kLaunchGraph, action::kOverlapHost,
                                               action::kPoolAllocations};

/// The launches of the plan that `view` stands for; absent when it has none that can be read.
std::optional<std::size_t> launches(const report::NodeView& view) {
  if (!view.proposal) return std::nullopt;
  const auto parsed = task::parse_plan(view.proposal->source, "candidate.cu");
  if (!parsed) return std::nullopt;
  const auto& steps = parsed->plan.steps;
  return static_cast<std::size_t>(std::count_if(steps.begin(), steps.end(), [](const Step& step) {
    return std::holds_alternative<Launch>(step);
  }));
}

bool does_less_work(const report::NodeView& view) {
  const std::optional<Evaluation>& judged = view.final ? view.final : view.node.evaluation;
  const Measured* measured = judged ? judged->measured() : nullptr;
  if (!measured) return false;
  return std::any_of(measured->labels.begin(), measured->labels.end(), [](const Label& label) {
    return label.name == "flop-floor" || label.name == "algebraic";
  });
}

}  // namespace

std::string_view label_of_action(std::string_view action) {
  const auto among = [&](const auto& actions) {
    return std::find(std::begin(actions), std::end(actions), action) != std::end(actions);
  };
  if (among(kKernelActions)) return "kernel";
  if (among(kPrecisionActions)) return "precision";
  if (among(kLaunchActions)) return "launch";
  if (action == action::kFuseLaunches) return "fusion";
  return "";
}

std::vector<std::string> win_labels(const report::RunView& run, int node) {
  std::set<std::string> labels;
  bool all_known = true;
  for (const int step : run.path_to(node)) {
    if (step == 0) continue;
    const auto& proposal = run.at(step).proposal;
    const std::string_view label = proposal ? label_of_action(proposal->action) : "";
    all_known = all_known && !label.empty();
    if (!label.empty()) labels.emplace(label);
  }
  if (node == 0) return {};
  // One step of which nothing is known may have been anything.
  if (!all_known) labels.clear();
  const auto before = launches(run.at(0)), after = launches(run.at(node));
  if (before && after && *after < *before) labels.emplace("fusion");
  if (does_less_work(run.at(node))) labels.emplace("algebraic");
  return {labels.begin(), labels.end()};
}

}  // namespace kp::suite
