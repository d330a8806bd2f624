// SPDX-License-Identifier: Apache-2.0
#include "suite/judge_claim.h"

#include <algorithm>
#include <chrono>

#include "base/hash.h"
#include "stats/stats.h"
#include "suite/hearing.h"
#include "task/python_problem.h"

namespace kp::suite {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kLongestFile = 4u << 20;  // bytes
constexpr const char* kModes[] = {"eager", "compile", "graph"};

std::vector<std::string> normal_inputs(const Task& task) {
  std::vector<std::string> names;
  for (const Tensor& tensor : task.declaration.tensors) {
    const bool drawn = tensor.role == TensorRole::kInput && !tensor.scalar &&
                       is_floating(tensor.dtype) &&
                       tensor.distribution.kind == Distribution::Kind::kNormal;
    if (drawn) names.push_back(tensor.name);
  }
  return names;
}

ClaimJudge::Setting setting_of(const Result<Task>& task, const torch::Problem& problem, bool gpu) {
  ClaimJudge::Setting setting{.constants = problem.constants};
  if (!task) {
    setting.remark = "judged with its author's inputs: " + task.error().message;
    return setting;
  }
  setting.redrawn = normal_inputs(*task);
  const auto checks = task->with_role(WorkloadRole::kCheck);
  if (!gpu && !checks.empty()) setting.constants = checks.back()->constants;
  return setting;
}

void find_fastest(Claim& claim) {
  const auto fastest =
      std::min_element(claim.baselines.begin(), claim.baselines.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (fastest == claim.baselines.end()) return;
  claim.fastest = fastest->first;
  claim.over_fastest = fastest->second / *claim.nanoseconds;
}

}  // namespace

Result<std::string> claim_content(const ClaimRequest& request) {
  KP_TRY(const std::string candidate, read_text(request.candidate, kLongestFile));
  KP_TRY(const std::string task, read_text(request.task, kLongestFile));
  return to_hex(hash_text(candidate + '\0' + task));
}

Result<Claim> ClaimJudge::judge(const ClaimRequest& request) {
  const auto begin = Clock::now();
  Claim claim{.candidate = request.candidate, .task = request.task, .claimed = request.claimed};
  claim.device = worker_.installation().device;
  claim.confinement = confinement_;
  KP_TRY(claim.content, claim_content(request));
  KP_TRY(const torch::Problem problem, worker_.load(request.task));
  const Setting setting =
      setting_of(task::read_python_problem(worker_, request.task), problem, on_gpu());
  if (setting.remark) claim.remarks.push_back(*setting.remark);
  KP_TRY(const bool timed, hear(setting, problem.number, claim));
  if (timed) {
    const char* precision = *claim.precision == Precision::kF32 ? "f32" : "tf32";
    KP_TRY(claim.baselines, baselines(problem, setting.constants, precision));
    find_fastest(claim);
  }
  claim.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return claim;
}

Result<bool> ClaimJudge::hear(const Setting& setting, int problem, Claim& claim) {
  const auto guest = torch::Guest::start(guest_, claim.task, claim.candidate);
  if (!guest) return blame(claim, guest.error());
  Hearing hearing(worker_, **guest, problem, claim);
  const torch::Draw screened{setting.constants, seed_, setting.redrawn};
  KP_TRY(bool good, hearing.passes(screened, (*guest)->run(screened)));
  hearing.make_published_check({setting.constants, seed_ ^ 1, {}});
  if (!good || !on_gpu()) return false;
  KP_TRY(good, hearing.time(screened));
  if (!good) return false;
  KP_TRY(good, hearing.holds_against_our_clock(screened));
  if (!good) return false;
  KP_TRY(const std::string text, read_text(claim.candidate, kLongestFile));
  hearing.divide(screened, text);
  return true;
}

Result<ClaimJudge::Modes> ClaimJudge::baselines(const torch::Problem& problem,
                                                const torch::Constants& constants,
                                                const std::string& precision) {
  const auto known = known_.find({problem.text, precision});
  if (known != known_.end()) return known->second;
  Modes modes;
  for (const char* mode : kModes) {
    const auto timed = worker_.time({.problem = problem.number,
                                     .constants = constants,
                                     .modes = {mode},
                                     .seed = seed_,
                                     .precision = precision});
    if (!timed && timed.error().code == ErrorCode::kUnavailable)
      return tl::unexpected<Error>(timed.error());
    if (!timed) continue;  // a mode that does not work for this problem is none to be beaten
    const auto found = timed->nanoseconds.find(mode);
    if (found != timed->nanoseconds.end() && !found->second.empty())
      modes[mode] = stats::median(found->second);
  }
  return known_[{problem.text, precision}] = modes;
}

}  // namespace kp::suite
