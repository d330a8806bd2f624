// SPDX-License-Identifier: Apache-2.0
#include "package/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "harness/harness.h"

namespace kp::package {
namespace {

constexpr int kMostTries = 6;  // shapes that are tried as one which the guard refuses

Result<build::Binary> built(const Delivery& delivery, const Candidate& candidate,
                            build::Builder& builder) {
  KP_TRY(auto outcome, builder.build(delivery.task, candidate));
  if (auto* binary = std::get_if<build::Binary>(&outcome)) return std::move(*binary);
  return fail(ErrorCode::kInvalidInput, candidate.file + " does not build any more",
              "`kernelpro eval` tells why; was the toolkit changed since the run?");
}

std::string target_of(const build::Binary& binary) {
  constexpr std::string_view kTarget = ".target ";
  const std::size_t at = binary.ptx.find(kTarget);
  if (at == binary.ptx.npos) return "";
  const std::size_t begin = at + kTarget.size();
  return binary.ptx.substr(begin, binary.ptx.find_first_of(", \n\r", begin) - begin);
}

/// The task with other check workloads; timed ones stay, since every task has some.
Result<harness::Harness> open_harness(const Delivery& delivery, std::vector<Workload> checks,
                                      const Bench& bench) {
  Task task = delivery.task;
  std::erase_if(task.workloads, [](const Workload& w) { return w.role == WorkloadRole::kCheck; });
  task.workloads.insert(task.workloads.begin(), checks.begin(), checks.end());
  harness::HarnessOptions options;
  options.seed = bench.seed;
  return harness::Harness::open(std::move(task), bench.device, bench.builder, options);
}

std::vector<Workload> check_shapes(const Delivery& delivery) {
  std::vector<Workload> shapes;
  for (const Case& shape : delivery.cases) {
    if (shape.workload.role == WorkloadRole::kCheck) shapes.push_back(shape.workload);
  }
  return shapes;
}

/// Whether the original gives right answers on `shape`: a plan may not mean anything there.
bool is_served_by_original(const Delivery& delivery, const Workload& shape, const Bench& bench) {
  auto harness = open_harness(delivery, {shape}, bench);
  if (!harness) return false;
  const auto found = harness->check(delivery.original);
  return found && !*found;
}

bool add_refused(Delivery& delivery, const Bench& bench) {
  int tries = 0;
  for (Workload& shape : shapes_outside(delivery.task, delivery.axes, delivery.guard)) {
    if (++tries > kMostTries) return false;
    if (!is_served_by_original(delivery, shape, bench)) continue;
    delivery.cases.push_back({std::move(shape), false});
    return true;
  }
  return false;
}

bool is_unsupported(const Outcome& outcome) {
  const auto* crashed = std::get_if<Crashed>(&outcome);
  return crashed != nullptr && crashed->fault == FaultKind::kUnsupported;
}

/// Empty when the version is right; what the device cannot execute otherwise.
Result<std::string> refusal_of(const Candidate& candidate, const std::vector<Workload>& shapes,
                               const Delivery& delivery, const Bench& bench) {
  KP_TRY(auto harness, open_harness(delivery, shapes, bench));
  KP_TRY(const auto found, harness.check(candidate));
  if (!found) return std::string();
  const Evaluation evaluation{.outcome = *found};
  if (is_unsupported(*found)) return summary(evaluation);
  return fail(ErrorCode::kInvalidInput,
              fmt::format("{} is wrong on {}: {}", candidate.file, bench.device.describe().name,
                          summary(evaluation)),
              "export another node, and tell us: the run took it for right");
}

}  // namespace

Result<std::string> architecture_of(const Delivery& delivery, build::Builder& builder) {
  std::string architecture;
  for (const Candidate* candidate : {&delivery.optimized, &delivery.original}) {
    KP_TRY(const auto binary, built(delivery, *candidate, builder));
    const std::string target = target_of(binary);
    if (architecture.empty() || target.ends_with('a')) architecture = target;
  }
  return architecture;
}

Result<std::string> check_values(Delivery& delivery, const Bench& bench) {
  const std::vector<Workload> verified = check_shapes(delivery);
  const bool refused = add_refused(delivery, bench);
  const std::string& device = bench.device.describe().name;
  std::vector<std::string> names;
  for (const Workload& shape : verified) names.push_back(shape.name);
  KP_TRY(const std::string ours, refusal_of(delivery.optimized, verified, delivery, bench));
  KP_TRY(const std::string theirs, refusal_of(delivery.original, verified, delivery, bench));
  const std::string shapes = join(names, ", ");
  std::string text =
      ours.empty() && theirs.empty()
          ? fmt::format("both versions right on {} under every value set, on {}", shapes, device)
          : fmt::format("not all checked here ({} cannot execute it: {})", device,
                        ours.empty() ? theirs : ours);
  text += refused ? fmt::format("; the original on {}, which the guard refuses",
                                delivery.cases.back().workload.name)
                  : "; no shape was found that the guard refuses and the original computes";
  return text;
}

}  // namespace kp::package
