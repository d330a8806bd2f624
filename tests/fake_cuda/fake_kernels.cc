// SPDX-License-Identifier: Apache-2.0
// Kernels by their behaviour: good ones, and each way in which a candidate can harm its process.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "device/cuda/worker/probe_answer.h"
#include "fake_state.h"

namespace fake {
namespace {

/// The parameters of a kernel, as a block or as pointers.
class Parameters {
 public:
  Parameters(void** pointers, void** extra) : pointers_(pointers) {
    if (extra != nullptr) block_ = static_cast<const char*>(extra[1]);
  }
  template <class T>
  T get(std::size_t index, std::size_t offset) const {
    T value{};
    std::memcpy(&value, pointers_ != nullptr ? pointers_[index] : block_ + offset, sizeof value);
    return value;
  }

 private:
  void** pointers_ = nullptr;
  const char* block_ = nullptr;
};

struct Tick {
  unsigned long long nanoseconds, cycles, slack;
};
constexpr unsigned long long kCoarseSlack = 700;

template <class T>
T* at(CUdeviceptr address) {
  return reinterpret_cast<T*>(address);
}

/// (float* to, const float* from, int count)
void copy(const Parameters& given) {
  auto* to = given.get<float*>(0, 0);
  const auto* from = given.get<const float*>(1, 8);
  const int count = given.get<int>(2, 16);
  for (int i = 0; i < count; ++i) to[i] = from[i];
}

/// (Tick*, unsigned count, const Tick* since, u64 span, unsigned* reached, unsigned mark): 1 GHz.
/// Told `coarse`, every second tick sees its edge late, as far as its slack allows.
void tick(const Parameters& given) {
  auto* ticks = given.get<Tick*>(0, 0);
  const auto* since = given.get<const Tick*>(2, 16);
  if (since != nullptr) {
    const double end =
        1e-9 * static_cast<double>(since[0].nanoseconds + given.get<unsigned long long>(3, 24));
    state().seconds = std::max(state().seconds, end);
  }
  const auto nanoseconds = static_cast<unsigned long long>(state().seconds * 1e9) + 1;
  const unsigned long long slack = is_told("coarse") ? kCoarseSlack : 0;
  const unsigned long long late = since == nullptr ? slack : 0;
  for (unsigned sm = 0; sm < given.get<unsigned>(1, 8); ++sm)
    ticks[sm] = {nanoseconds, nanoseconds + late, slack};
  *given.get<unsigned*>(4, 32) = given.get<unsigned>(5, 40);
}

/// A copy that believes what it finds: an earlier launch has copied already.
void remember(const Parameters& given) {
  if (!state().leftover) copy(given);
  state().leftover = true;
}

/// (u64 seed, unsigned share, u64 limit, const unsigned* release, unsigned* begun, unsigned ticket)
void occupy(const Parameters& given) {
  state().occupied = true;
  *given.get<unsigned*>(4, 32) = given.get<unsigned>(5, 40);
}

/// Bytes where the judge expects an answer.
void write_to_the_judge(const void* bytes, std::size_t count) {
  static_cast<void>(::send(3, bytes, count, MSG_NOSIGNAL));
}

[[noreturn]] void hang() {
  for (;;) ::poll(nullptr, 0, -1);
}

CUresult harm(const Kernel& kernel) {
  if (kernel.behaviour == "hang") hang();
  if (kernel.behaviour == "crash") *const_cast<volatile int*>(static_cast<int*>(nullptr)) = 1;
  if (kernel.behaviour == "exit") ::_exit(static_cast<int>(kernel.number));
  if (kernel.behaviour == "fault") state().sticky = static_cast<CUresult>(kernel.number);
  if (kernel.behaviour == "refuse") return static_cast<CUresult>(kernel.number);
  if (kernel.behaviour == "garbage") write_to_the_judge("this is not a frame at all", 26);
  if (kernel.behaviour == "huge") {
    const std::array<std::uint32_t, 3> head{0xffff'fff0, 0, 0};
    write_to_the_judge(head.data(), sizeof head);
  }
  return CUDA_SUCCESS;
}

}  // namespace

bool is_told(const char* what) {
  const std::string path = std::string(KP_FAKE_CUDA) + "/" + what;
  return ::access(path.c_str(), F_OK) == 0;
}

State& state() {
  static State state;
  return state;
}

CUresult execute(const Kernel& kernel, const CUlaunchConfig&, void** parameters, void** extra) {
  const Parameters given(parameters, extra);
  state().seconds += kLaunchSeconds;
  if (kernel.behaviour == "copy") copy(given);
  if (kernel.behaviour == "remember") remember(given);
  if (kernel.behaviour == "alone" && !state().occupied) copy(given);
  if (kernel.behaviour == "slow") state().seconds += static_cast<double>(kernel.number) * 1e-6;
  if (kernel.name == "kp_tick") tick(given);
  if (kernel.name == "kp_fill_shared") state().leftover = false;
  if (kernel.name == "kp_occupy") occupy(given);
  if (kernel.name == "kp_probe")
    *given.get<unsigned long long*>(0, 0) +=
        kp::device::cuda::probe_answer() + (is_told("wrong") ? 1 : 0);
  return harm(kernel);
}

}  // namespace fake
