// SPDX-License-Identifier: Apache-2.0
#include "harness/harness.h"

#include <fmt/format.h>

#include <chrono>

#include "base/secret.h"
#include "device/hardware.h"
#include "harness/cases.h"
#include "harness/match.h"
#include "harness/profiling.h"
#include "harness/verify.h"
#include "task/task.h"

namespace kp::harness {

/// A candidate that is built and on the device.
struct Ready {
  build::Binary binary;
  std::unique_ptr<device::Loaded> loaded;
};

struct Harness::State {
  Task task;
  device::Device& device;
  build::Builder& builder;
  HarnessOptions options;
  std::unique_ptr<Reference> reference;
  std::unique_ptr<Cases> cases;
  std::shared_ptr<TorchProblem> torch;  // where a Python file is the reference
  // On hardware, where they live on the trusted device; null elsewhere.
  std::unique_ptr<Referee> referee;
  std::unique_ptr<Opinion> opinion;
  std::unique_ptr<Player> baseline;
  std::map<std::string, double> baseline_times;  // nanoseconds by workload

  /// The device on which no candidate runs.
  device::Device& trusted() {
    device::Hardware* hardware = device.hardware();
    return hardware ? hardware->trusted() : device;
  }
  Result<void> open_oracles();
  TorchStart start_torch();
  Result<void> open_reference(std::optional<TorchStart> start);
  Result<void> open_players();
  Result<void> open_opinion();
  Result<std::unique_ptr<Player>> open_baseline();
  Result<Outcome> judge(const Candidate& candidate, Evaluation& evaluation);
  Result<Outcome> judge_loaded(const VerifyRequest& request, Evaluation& evaluation);
  Result<std::variant<Timed, Outcome>> time(const VerifyRequest& request, Evaluation& evaluation);
  Result<std::variant<Ready, Outcome>> make_ready(const Candidate& candidate,
                                                  std::map<std::string, double>& phases);
  VerifyRequest request(const Candidate& candidate, const Ready& ready, Depth depth);
};

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Where PyTorch computes: on the GPU itself, so that timed outputs can be compared there.
std::string torch_device(const device::Device& device) {
  const std::string& name = device.describe().name;
  return name.starts_with("cuda") ? name : "cpu";
}

void append(std::vector<std::string>& notes, std::vector<std::string> more) {
  notes.insert(notes.end(), more.begin(), more.end());
}

}  // namespace

Result<std::unique_ptr<Reference>> open_reference(const Task& task, device::Device& device,
                                                  build::Builder& builder, const Path& cache) {
  if (task.oracle.kind == Oracle::Kind::kHost)
    return open_host_reference(task, builder.toolchain(), cache);
  if (task.oracle.kind == Oracle::Kind::kTorch) return open_torch_reference(task);
  return open_device_reference(task, device, builder);
}

Harness::Harness(std::unique_ptr<State> state) : state_(std::move(state)) {}
Harness::Harness(Harness&&) noexcept = default;
Harness& Harness::operator=(Harness&&) noexcept = default;
Harness::~Harness() = default;
const Task& Harness::task() const { return state_->task; }

Result<Harness> Harness::open(Task task, device::Device& device, build::Builder& builder,
                              HarnessOptions options) {
  if (options.cache.empty()) options.cache = cache_folder();
  const bool any = !task.workloads.empty();
  task = fitted(std::move(task), device.hardware() != nullptr);
  if (any && task.workloads.empty())
    return fail(ErrorCode::kUnsupported,
                fmt::format("task {} is too large for {}, at every size that could be found",
                            task.name, device.describe().name),
                "use a GPU: --device cuda");
  for (const WorkloadRole role : {WorkloadRole::kCheck, WorkloadRole::kTime}) {
    if (task.with_role(role).empty())
      return fail(ErrorCode::kInvalidInput,
                  fmt::format("task {} has no {} workload", task.name, name_of(role)),
                  "add one: small to check values, large to time");
  }
  auto state = std::make_unique<State>(
      State{std::move(task), device, builder, std::move(options), {}, {}, {}, {}, {}, {}});
  KP_TRY_VOID(state->open_oracles());
  state->cases = std::make_unique<Cases>(state->task, *state->reference);
  return Harness(std::move(state));
}

/// PyTorch is imported while our own kernels are compiled.
Result<void> Harness::State::open_oracles() {
  std::optional<TorchStart> start;
  if (task.oracle.kind == Oracle::Kind::kTorch) start = start_torch();
  if (device.hardware()) KP_TRY_VOID(open_players());
  KP_TRY_VOID(open_reference(std::move(start)));
  return device.hardware() ? open_opinion() : Result<void>{};
}

/// The one that was begun ahead, where it is for this device.
TorchStart Harness::State::start_torch() {
  const std::string name = torch_device(device);
  const std::shared_ptr<TorchStart> begun = std::move(options.torch);
  options.torch.reset();
  if (!begun || begun->device != name) return begin_torch_problem(task.oracle.source, name);
  TorchStart start = std::move(*begun);
  start.file = task.oracle.source;
  return start;
}

/// One process of PyTorch for all: importing it takes seconds.
Result<void> Harness::State::open_reference(std::optional<TorchStart> start) {
  if (start) {
    KP_TRY(torch, finish(*std::move(start)));
    reference = torch_reference(torch, task);
    return {};
  }
  KP_TRY(reference, harness::open_reference(task, trusted(), builder, options.cache));
  return {};
}

Result<void> Harness::State::open_players() {
  KP_TRY(referee, Referee::open(trusted(), builder.toolchain(), options.cache));
  if (!task.baseline) return {};
  KP_TRY(baseline, open_baseline());
  return {};
}

/// What is the task's own has to be right; PyTorch is not needed where it does not work.
Result<void> Harness::State::open_opinion() {
  KP_TRY(opinion, harness::open_opinion(task, *device.hardware(), builder, torch));
  const bool own = !task.oracle.device_source.empty();
  if (!own && !(torch && torch->on_gpu)) return {};
  const auto confirmed = confirm(*opinion, task, *reference);
  if (own) return confirmed;
  return confirmed ? Result<void>{} : leave_gpu(*torch, confirmed.error().message);
}

Result<std::unique_ptr<Player>> Harness::State::open_baseline() {
  auto player = std::make_unique<Player>();
  KP_TRY(player->candidate,
         task::make_candidate(task, *task.baseline, task.baseline_path.filename().string()));
  KP_TRY(build::BuildOutcome built, builder.build(task, player->candidate));
  // A baseline that does not build is found out when it is judged; there is no contest then.
  auto* binary = std::get_if<build::Binary>(&built);
  if (binary == nullptr) return std::unique_ptr<Player>();
  player->binary = std::move(*binary);
  KP_TRY(auto loaded, trusted().load(player->binary));
  if (std::holds_alternative<Crashed>(loaded)) return std::unique_ptr<Player>();
  player->loaded = std::get<std::unique_ptr<device::Loaded>>(std::move(loaded));
  return player;
}

Result<Evaluation> Harness::evaluate(const Candidate& candidate, Depth depth) {
  const auto start = Clock::now();
  Evaluation evaluation{.depth = depth, .device = state_->device.describe().name};
  if (device::Hardware* hardware = state_->device.hardware())
    evaluation.sandbox = hardware->sandbox();
  KP_TRY(evaluation.outcome, state_->judge(candidate, evaluation));
  evaluation.wall_seconds = seconds_since(start);
  return evaluation;
}

Result<std::optional<Outcome>> Harness::check(const Candidate& candidate) {
  std::map<std::string, double> phases;
  KP_TRY(auto made, state_->make_ready(candidate, phases));
  if (auto* bad = std::get_if<Outcome>(&made)) return std::optional<Outcome>(std::move(*bad));
  KP_TRY(auto verification,
         verify(state_->request(candidate, std::get<Ready>(made), Depth::kFinal)));
  return std::move(verification.bad);
}

Result<std::optional<Profile>> Harness::profile_fully(const Candidate& candidate) {
  device::Hardware* hardware = state_->device.hardware();
  if (hardware == nullptr) return std::optional<Profile>{};
  std::map<std::string, double> phases;
  KP_TRY(auto made, state_->make_ready(candidate, phases));
  if (std::holds_alternative<Outcome>(made)) return std::optional<Profile>{};
  KP_TRY(const std::uint64_t key, secret_number());
  return harness::profile_fully(state_->request(candidate, std::get<Ready>(made), Depth::kQuick),
                                *hardware, *state_->referee, key);
}

Result<std::variant<Ready, Outcome>> Harness::State::make_ready(
    const Candidate& candidate, std::map<std::string, double>& phases) {
  using Made = std::variant<Ready, Outcome>;
  const auto start = Clock::now();
  KP_TRY(build::BuildOutcome built, builder.build(task, candidate));
  phases["build"] = seconds_since(start);
  if (auto* failed = std::get_if<BuildFailed>(&built)) return Made(Outcome(std::move(*failed)));
  if (auto* rejected = std::get_if<Rejected>(&built)) return Made(Outcome(std::move(*rejected)));
  if (auto* late = std::get_if<TimedOut>(&built)) return Made(Outcome(std::move(*late)));
  Ready ready{std::get<build::Binary>(std::move(built)), nullptr};
  const auto begun = Clock::now();
  KP_TRY(auto loaded, device.load(ready.binary));
  phases["load"] = seconds_since(begun);
  if (auto* crashed = std::get_if<Crashed>(&loaded)) return Made(Outcome(std::move(*crashed)));
  ready.loaded = std::get<std::unique_ptr<device::Loaded>>(std::move(loaded));
  return Made(std::move(ready));
}

VerifyRequest Harness::State::request(const Candidate& candidate, const Ready& ready, Depth depth) {
  return {.task = task,
          .candidate = candidate,
          .binary = ready.binary,
          .device = device,
          .loaded = *ready.loaded,
          .cases = *cases,
          .reference = *reference,
          .options = options,
          .depth = depth};
}

Result<Outcome> Harness::State::judge(const Candidate& candidate, Evaluation& evaluation) {
  KP_TRY(auto made, make_ready(candidate, evaluation.phases));
  if (auto* bad = std::get_if<Outcome>(&made)) return std::move(*bad);
  return judge_loaded(request(candidate, std::get<Ready>(made), evaluation.depth), evaluation);
}

Result<std::variant<Timed, Outcome>> Harness::State::time(const VerifyRequest& request,
                                                          Evaluation& evaluation) {
  device::Hardware* hardware = device.hardware();
  if (hardware == nullptr) {
    const auto start = Clock::now();
    auto timed = time_candidate(request);
    evaluation.phases["time"] = seconds_since(start);
    return timed;
  }
  const Bench bench{*hardware, *referee, opinion.get(), baseline.get(), &baseline_times};
  KP_TRY(const std::uint64_t key, secret_number());
  return play_match(request, bench, key, evaluation.phases);
}

Result<Outcome> Harness::State::judge_loaded(const VerifyRequest& request, Evaluation& evaluation) {
  const auto start = Clock::now();
  KP_TRY(Verification verification, verify(request));
  evaluation.phases["verify"] = seconds_since(start);
  append(evaluation.notes, std::move(verification.notes));
  evaluation.published = std::move(verification.published);
  if (verification.bad) return *std::move(verification.bad);
  KP_TRY(auto timed, time(request, evaluation));
  if (auto* bad = std::get_if<Outcome>(&timed)) return std::move(*bad);
  Timed& good = std::get<Timed>(timed);
  append(evaluation.notes, std::move(good.notes));
  Measured& measured = good.measured;
  // The one that came nearest to its gate, of checked and of timed runs.
  if (verification.error * measured.error_limit >= measured.worst_error * verification.limit) {
    measured.worst_error = verification.error;
    measured.error_limit = verification.limit;
  }
  measured.deterministic = verification.deterministic;
  measured.labels.insert(measured.labels.end(), options.labels.begin(), options.labels.end());
  return Outcome(std::move(measured));
}

}  // namespace kp::harness
