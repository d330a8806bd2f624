// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/lap.h"

#include <algorithm>

namespace kp::device::cuda {
namespace {

// Entries that the driver's queue surely takes while the stream is held; beyond, launching would
// wait for the hold to end.
constexpr std::size_t kQueueDepth = 400;
constexpr int kTries = 3;  // laps whose hold expired are repeated
constexpr int kEmptyLaps = 11;
constexpr std::uint32_t kBegun = 1, kEnded = 2;  // Board::reached

class LapRun {
 public:
  LapRun(Executor& executor, const LapPlan& plan)
      : executor_(executor), driver_(executor.driver), at_(executor.instruments), plan_(plan) {}

  Faulty<LapReading> run() {
    const Faulty<void> queued = enqueue_all();
    // Released in any case: nothing may wait on the stream any longer than it must.
    release_stream(at_);
    const CUresult code = driver_.cuStreamSynchronize(executor_.stream);
    if (!queued) return tl::unexpected<Fault>(queued.error());
    if (code == CUDA_SUCCESS) return reading();
    tl::unexpected<Fault> fault = fault_of(driver_, code, "cuStreamSynchronize");
    if (plan_.steps.size() == 1) fault.value().step = 0;
    return fault;
  }

 private:
  Faulty<void> enqueue_all() {
    std::ranges::fill(at_.before(), Tick{});
    std::ranges::fill(at_.after(), Tick{});
    KP_OR_FAULT_VOID(make_events(driver_, at_, plan_.steps.size() / plan_.stride + 2));
    KP_CALL(driver_, cuCtxResetPersistingL2Cache);
    KP_OR_FAULT_VOID(hold_stream(driver_, at_, executor_.stream));
    if (!plan_.steps.empty())
      KP_OR_FAULT_VOID(fill_leftovers(driver_, executor_.disturbances, executor_.stream));
    if (plan_.cold) KP_OR_FAULT_VOID(flush_l2(driver_, at_, executor_.stream));
    KP_OR_FAULT_VOID(tick(driver_, at_, executor_.stream, {.ticks = at_.before(), .mark = kBegun}));
    KP_OR_FAULT_VOID(enqueue_timed());
    const bool clocked = !plan_.steps.empty();
    return tick(driver_, at_, executor_.stream,
                {.ticks = at_.after(),
                 .since = clocked ? at_.before() : std::span<const Tick>(),
                 .mark = kEnded});
  }

  Faulty<void> enqueue_timed() {
    KP_OR_FAULT_VOID(mark());
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      if (i == kQueueDepth) release_stream(at_);
      Faulty<void> queued = enqueue(executor_, *plan_.steps[i]);
      if (!queued) queued.error().step = static_cast<int>(i);
      KP_OR_FAULT_VOID(std::move(queued));
      if ((i + 1) % plan_.stride == 0) KP_OR_FAULT_VOID(mark());
    }
    if (plan_.steps.empty()) KP_OR_FAULT_VOID(mark());
    return {};
  }

  Faulty<void> mark() {
    KP_CALL(driver_, cuEventRecord, at_.events[marks_++], executor_.stream);
    return {};
  }

  Faulty<LapReading> reading() {
    LapReading reading;
    for (std::size_t i = 1; i < marks_; ++i) {
      float milliseconds = 0;
      KP_CALL(driver_, cuEventElapsedTime, &milliseconds, at_.events[i - 1], at_.events[i]);
      reading.nanoseconds.push_back(static_cast<double>(milliseconds) * 1e6);
    }
    reading.sm_hz = clock_between(at_.before(), at_.after());
    return reading;
  }

  Executor& executor_;
  const Driver& driver_;
  Instruments& at_;
  const LapPlan& plan_;
  std::size_t marks_ = 0;
};

}  // namespace

Faulty<LapReading> run_lap(Executor& executor, const LapPlan& plan) {
  for (int attempt = 1;; ++attempt) {
    Faulty<LapReading> reading = LapRun(executor, plan).run();
    if (!reading || attempt == kTries || !hold_expired(executor.instruments)) return reading;
  }
}

Faulty<double> empty_lap(Executor& executor) {
  const LapPlan nothing{.steps = {}, .stride = 1, .cold = false};
  std::vector<double> all;
  for (int i = 0; i < kEmptyLaps; ++i) {
    KP_OR_FAULT(const LapReading reading, run_lap(executor, nothing));
    all.push_back(reading.nanoseconds.front());
  }
  std::ranges::nth_element(all, all.begin() + kEmptyLaps / 2);
  return all[kEmptyLaps / 2];
}

}  // namespace kp::device::cuda
