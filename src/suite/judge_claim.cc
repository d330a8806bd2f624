// SPDX-License-Identifier: Apache-2.0
#include "suite/judge_claim.h"

#include <algorithm>
#include <chrono>

#include "base/hash.h"
#include "base/text.h"
#include "suite/hearing.h"
#include "task/python_problem.h"

namespace kp::suite {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kLongestSource = 4u << 20;  // bytes
constexpr std::uint64_t kOther = 1ull << 40;        // far from the seeds of timed runs
constexpr const char* kModes[] = {"eager", "compile", "graph"};

std::vector<std::string> normal_inputs(const Task& task) {
  std::vector<std::string> names;
  for (const Tensor& tensor : task.declaration.tensors) {
    const bool plain = !tensor.scalar && is_floating(tensor.dtype) && !tensor.structure.any();
    const bool drawn = tensor.role == TensorRole::kInput && plain &&
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

std::string why_not(const Result<torch::Timed>& timed, const std::string& mode) {
  if (!timed) return timed.error().message;
  const auto found = timed->failures.find(mode);
  return found != timed->failures.end() ? found->second : "PyTorch gave no times";
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

Result<std::string> claim_content(const ClaimRequest& request,
                                  const std::vector<std::string>& rivals) {
  KP_TRY(const std::string candidate, read_text(request.candidate, kLongestSource));
  KP_TRY(const std::string task, read_text(request.task, kLongestSource));
  return to_hex(hash_text(candidate + '\0' + task + '\0' + join(rivals, "\n")));
}

Result<Claim> ClaimJudge::judge(const ClaimRequest& request) {
  const auto begin = Clock::now();
  Claim claim{.candidate = request.candidate, .task = request.task, .claimed = request.claimed};
  claim.device = worker_.installation().device;
  claim.confinement = terms_.confinement;
  KP_TRY(claim.content, claim_content(request, terms_.rivals));
  KP_TRY(const torch::Problem problem, worker_.load(request.task));
  const Setting setting =
      setting_of(task::read_python_problem(worker_, request.task), problem, on_gpu());
  if (setting.remark) claim.remarks.push_back(*setting.remark);
  KP_TRY(const bool timed, hear(setting, problem.number, claim));
  if (timed) {
    const char* precision = *claim.precision == Precision::kF32 ? "f32" : "tf32";
    KP_TRY(const Baselines found, baselines(problem, setting.constants, precision));
    claim.baselines = found.nanoseconds;
    claim.remarks.insert(claim.remarks.end(), found.remarks.begin(), found.remarks.end());
    find_fastest(claim);
  }
  claim.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return claim;
}

Result<bool> ClaimJudge::hear(const Setting& setting, int problem, Claim& claim) {
  const auto guest = torch::Guest::start(terms_.guest, claim.task, claim.candidate);
  if (!guest) return blame(claim, guest.error());
  Hearing hearing(worker_, **guest, problem, claim);
  const torch::Draw screened{setting.constants, terms_.seed, setting.redrawn};
  KP_TRY(bool good, hearing.passes(screened, (*guest)->run(screened)));
  hearing.make_published_check({setting.constants, terms_.seed ^ kOther, {}});
  if (!good || !on_gpu()) return false;
  KP_TRY(good, hearing.time(screened));
  if (!good) return false;
  KP_TRY(good, hearing.holds_against_our_clock());
  if (!good) return false;
  KP_TRY(const std::string text, read_text(claim.candidate, kLongestSource));
  hearing.divide(text);
  return true;
}

Result<ClaimJudge::Baselines> ClaimJudge::baselines(const torch::Problem& problem,
                                                    const torch::Constants& constants,
                                                    const std::string& precision) {
  const auto known = known_.find({problem.text, precision});
  if (known != known_.end()) return known->second;
  Baselines baselines;
  std::vector<std::string> names(std::begin(kModes), std::end(kModes));
  names.insert(names.end(), terms_.rivals.begin(), terms_.rivals.end());
  for (const std::string& mode : names) {
    const auto timed = worker_.time({.problem = problem.number,
                                     .constants = constants,
                                     .modes = {mode},
                                     .seed = terms_.seed,
                                     .precision = precision});
    if (!timed && timed.error().code == ErrorCode::kUnavailable)
      return tl::unexpected<Error>(timed.error());
    if (const auto median = timed ? timed->median(mode) : std::nullopt)
      baselines.nanoseconds[mode] = *median;
    else
      baselines.remarks.push_back(mode + " was not timed: " + why_not(timed, mode));
  }
  return known_[{problem.text, precision}] = std::move(baselines);
}

}  // namespace kp::suite
