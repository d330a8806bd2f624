// SPDX-License-Identifier: Apache-2.0
// Whether the GPU computes and moves bytes as it should, for use after something went wrong.
#include "device/cuda/worker/kernel_call.h"
#include "device/cuda/worker/probe_answer.h"
#include "device/cuda/worker/verbs.h"

namespace kp::device::cuda {
namespace {

constexpr std::uint64_t kCopyBytes = 512ull << 20;  // far beyond any L2
constexpr int kCopies = 5;                          // the best counts; the first only warms up

/// Device memory for the time of a probe.
class Block {
 public:
  static Faulty<Block> make(const Driver& driver, std::uint64_t bytes) {
    CUdeviceptr address = 0;
    KP_CALL(driver, cuMemAlloc, &address, bytes);
    return Block(driver, address);
  }
  Block(Block&& other) noexcept
      : driver_(other.driver_), address_(std::exchange(other.address_, 0)) {}
  Block& operator=(Block&&) = delete;
  ~Block() {
    if (address_ != 0) driver_.cuMemFree(address_);
  }
  CUdeviceptr address() const { return address_; }

 private:
  Block(const Driver& driver, CUdeviceptr address) : driver_(driver), address_(address) {}
  const Driver& driver_;
  CUdeviceptr address_;
};

Faulty<double> copy_seconds(Executor& executor, CUdeviceptr to, CUdeviceptr from) {
  const Driver& driver = executor.driver;
  const std::vector<CUevent>& events = executor.instruments.events;
  KP_CALL(driver, cuEventRecord, events[0], executor.stream);
  KP_CALL(driver, cuMemcpyDtoDAsync, to, from, kCopyBytes, executor.stream);
  KP_CALL(driver, cuEventRecord, events[1], executor.stream);
  KP_CALL(driver, cuStreamSynchronize, executor.stream);
  float milliseconds = 0;
  KP_CALL(driver, cuEventElapsedTime, &milliseconds, events[0], events[1]);
  return static_cast<double>(milliseconds) * 1e-3;
}

/// Bytes read and written per second.
Faulty<double> bandwidth(Executor& executor) {
  KP_OR_FAULT_VOID(make_events(executor.driver, executor.instruments, 2));
  KP_OR_FAULT(const Block from, Block::make(executor.driver, kCopyBytes));
  KP_OR_FAULT(const Block to, Block::make(executor.driver, kCopyBytes));
  double best = 0;
  for (int i = 0; i < kCopies; ++i) {
    KP_OR_FAULT(const double seconds, copy_seconds(executor, to.address(), from.address()));
    if (seconds > 0) best = std::max(best, 2.0 * static_cast<double>(kCopyBytes) / seconds);
  }
  return best;
}

Faulty<std::uint64_t> computed_answer(Executor& executor) {
  const Driver& driver = executor.driver;
  KP_OR_FAULT(const Block sum, Block::make(driver, sizeof(std::uint64_t)));
  KP_CALL(driver, cuMemsetD8Async, sum.address(), 0, sizeof(std::uint64_t), executor.stream);
  KP_OR_FAULT_VOID(
      call(driver, executor.instruments.probe,
           {.blocks = kProbeBlocks, .threads = kProbeThreads, .stream = executor.stream},
           sum.address(), kProbeRounds));
  KP_CALL(driver, cuStreamSynchronize, executor.stream);
  std::uint64_t answer = 0;
  KP_CALL(driver, cuMemcpyDtoH, &answer, sum.address(), sizeof answer);
  return answer;
}

}  // namespace

Answer probe(Executor& executor, const Frame&) {
  KP_OR_FAULT(const std::uint64_t answer, computed_answer(executor));
  KP_OR_FAULT(const double bytes_per_second, bandwidth(executor));
  return Frame{{{"bandwidth", bytes_per_second}, {"answer", answer}}, {}};
}

}  // namespace kp::device::cuda
