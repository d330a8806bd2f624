// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker_pool.h"

#include <fmt/format.h>

#include "base/text.h"
#include "build/sandbox.h"
#include "device/cuda/worker/probe_answer.h"

namespace kp::device::cuda {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kDying{10'000};  // a spinning kernel is torn down with its process
constexpr milliseconds kProbing{20'000};
constexpr double kSlow = 0.5;  // of the first bandwidth: below that something else is on the GPU

tl::unexpected<Error> not_as_before(const std::string& what) {
  return fail(ErrorCode::kUnavailable, fmt::format("the GPU does not answer as before: {}", what),
              "run nvidia-smi; end other programs that use the GPU, or restart the machine. "
              "`kernelpro resume RUN` goes on from here");
}

/// From the strongest that may work down to `weakest`.
std::vector<Confinement> levels(Confinement strongest) {
  std::vector<Confinement> all{Confinement::kFull, Confinement::kLandlock, Confinement::kMinimal};
  std::erase_if(all, [strongest](Confinement level) { return level < strongest; });
  if (!build::sandbox_works()) std::erase(all, Confinement::kFull);
  return all;
}

}  // namespace

Result<std::unique_ptr<WorkerPool>> WorkerPool::open(WorkerSpec spec, Memory& memory) {
  std::unique_ptr<WorkerPool> pool(new WorkerPool(std::move(spec), memory));
  KP_TRY_VOID(pool->find_confinement());
  KP_TRY(pool->first_, pool->probe());
  return pool;
}

Result<void> WorkerPool::find_confinement() {
  Error last;
  for (const Confinement level : levels(spec_.confinement)) {
    spec_.confinement = level;
    KP_TRY_VOID(start_spare());
    const Result<Opened> opened = spare_->opened();
    if (opened) {
      // The process knows what of it the system granted; namespaces are our doing.
      confined_ = opened->confined;
      return {};
    }
    last = opened.error();
  }
  return tl::unexpected<Error>(std::move(last));
}

Result<void> WorkerPool::start_spare() {
  KP_TRY(spare_, Worker::start(spec_));
  return {};
}

Result<double> WorkerPool::probe() {
  const Request request{.body = {{"do", "probe"}}, .phase = "probe", .deadline = kProbing};
  KP_TRY(const Frame frame, spare_->demand(request, "the GPU fails a known kernel"));
  const auto bandwidth = frame.body.find("bandwidth");
  const auto answer = frame.body.find("answer");
  if (bandwidth == frame.body.end() || !bandwidth->is_number() || answer == frame.body.end())
    return fail(ErrorCode::kUnavailable, "the GPU's process does not tell how the GPU is");
  if (*answer != probe_answer())
    return fail(ErrorCode::kUnavailable, "a known kernel gives another answer");
  return bandwidth->get<double>();
}

Result<void> WorkerPool::check_health() {
  const Result<double> now = probe();
  if (!now) return not_as_before(now.error().message);
  if (*now < kSlow * first_) {
    return not_as_before(fmt::format("a copy reaches {}/s, {}/s at first", format_bytes(*now),
                                     format_bytes(first_)));
  }
  doubtful_ = false;
  return {};
}

Result<void> WorkerPool::wait_for_the_dead() {
  for (const auto& worker : dying_) {
    if (!worker->gone(kDying)) return not_as_before("a process that used it cannot be ended");
  }
  dying_.clear();
  return {};
}

/// A process that started beside one that was being torn down may fail for that alone.
Result<void> WorkerPool::open_spare() {
  KP_TRY_VOID(wait_for_the_dead());
  if (spare_ && spare_->opened()) return {};
  discard(std::move(spare_));
  KP_TRY_VOID(wait_for_the_dead());
  if (!spare_) KP_TRY_VOID(start_spare());
  const Result<Opened> opened = spare_->opened();
  if (opened) return {};
  return doubtful_ ? not_as_before(opened.error().message) : tl::unexpected<Error>(opened.error());
}

Result<std::unique_ptr<Worker>> WorkerPool::take() {
  KP_TRY_VOID(open_spare());
  if (doubtful_) KP_TRY_VOID(check_health());
  KP_TRY_VOID(memory_.attach(*spare_));
  return std::move(spare_);
}

void WorkerPool::discard(std::unique_ptr<Worker> worker) {
  if (!worker) return;
  memory_.detach(*worker);
  const bool crashed = !worker->alive();
  worker->kill();
  // What it had started may still write; whoever looks next must not be looking while it does.
  if (!worker->gone(kDying)) dying_.push_back(std::move(worker));
  if (crashed) {
    // The probe wants a process that started after the crash.
    doubtful_ = true;
    if (spare_) {
      spare_->kill();
      dying_.push_back(std::move(spare_));
    }
  }
  // Opens while the next candidate is thought of and compiled; started with a candidate, it would
  // be waited for before that is timed.
  if (!spare_ && dying_.empty()) static_cast<void>(start_spare());
}

Result<void> WorkerPool::settle() {
  KP_TRY_VOID(wait_for_the_dead());
  if (spare_) static_cast<void>(spare_->opened());
  return {};
}

}  // namespace kp::device::cuda
