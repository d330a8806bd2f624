// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "device/cuda/members.h"
#include "device/cuda/worker/steps.h"
#include "device/cuda/worker/verbs.h"

namespace kp::device::cuda {
namespace {

/// Puts all steps onto the stream; behind each, its number onto the board. After a failure `begun`
/// is the step that could not be put there.
Faulty<void> enqueue_all(const Executor& executor, const ReadySteps& steps, int& begun) {
  const CUdeviceptr reached = executor.instruments.address_of(&executor.instruments.board->reached);
  for (begun = 0; begun < static_cast<int>(steps.size()); ++begun) {
    KP_OR_FAULT_VOID(enqueue(executor, steps[static_cast<std::size_t>(begun)]));
    KP_CALL(executor.driver, cuStreamWriteValue32, executor.stream, reached,
            static_cast<cuuint32_t>(begun + 1), CU_STREAM_WRITE_VALUE_DEFAULT);
  }
  return {};
}

Faulty<void> wait(const Executor& executor) {
  KP_CALL(executor.driver, cuStreamSynchronize, executor.stream);
  return {};
}

/// Blocks that wait for each other get the GPU for themselves.
bool is_cooperative(const ReadyStep& step) {
  const auto* launch = std::get_if<ReadyLaunch>(&step);
  return launch != nullptr &&
         std::ranges::any_of(launch->attributes, [](const CUlaunchAttribute& attribute) {
           return attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
         });
}

/// Absent: trusted code, which nothing disturbs. 0: leftovers of earlier launches are overwritten.
/// Any other number also takes some of the SMs.
Faulty<std::optional<std::uint64_t>> disturbance_of(const nlohmann::json& request) {
  if (find_member(request, "disturb") == nullptr) return std::nullopt;
  KP_OR_FAULT(const auto seed, or_fault(number_member<std::uint64_t>(request, "disturb")));
  return seed;
}

Faulty<void> disturb(Executor& executor, const ReadySteps& steps,
                     const std::optional<std::uint64_t>& seed) {
  if (!seed) return {};
  KP_OR_FAULT_VOID(fill_leftovers(executor.driver, executor.disturbances, executor.stream));
  if (*seed == 0 || std::ranges::any_of(steps, is_cooperative)) return {};
  KP_CALL(executor.driver, cuStreamSynchronize, executor.stream);
  return occupy(executor.driver, executor.disturbances, *seed);
}

}  // namespace

Answer run(Executor& executor, const Frame& request) {
  KP_OR_FAULT(const ReadySteps steps, read_steps(executor, request.body));
  KP_OR_FAULT(const auto seed, disturbance_of(request.body));
  KP_OR_FAULT_VOID(disturb(executor, steps, seed));
  executor.instruments.board->reached = 0;
  int begun = 0;
  Faulty<void> done = enqueue_all(executor, steps, begun);
  const bool launched = done.has_value();
  const Faulty<void> waited = wait(executor);
  static_cast<void>(leave(executor.driver, executor.disturbances));
  if (launched) done = waited;
  if (done) return Frame{};
  // Steps run in order: the first that did not end is the one that failed.
  done.error().step = waited ? begun : static_cast<int>(executor.instruments.board->reached);
  done.error().phase = launched ? "run" : "launch";
  return tl::unexpected<Fault>(std::move(done).error());
}

}  // namespace kp::device::cuda
