// SPDX-License-Identifier: Apache-2.0
// kernelpro-gpu replay FILE: see replay.h. kernelpro-gpu NONCE: holds device code, launches it and
// tells raw times. It speaks protocol.h on descriptor 3 until the other side closes it; descriptor
// 4 is the staging memory.
#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "device/cuda/protocol.h"
#include "device/cuda/worker/dispatch.h"
#include "device/cuda/worker/lockdown.h"
#include "device/cuda/worker/replay.h"

namespace kp::device::cuda {
namespace {

constexpr std::chrono::milliseconds kForever{-1};

std::optional<std::uint64_t> nonce_from(const char* text) {
  std::uint64_t nonce = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, nonce);
  return error == std::errc() && rest == end ? std::optional(nonce) : std::nullopt;
}

std::span<std::byte> map_staging() {
  void* memory =
      ::mmap(nullptr, kStagingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, kStagingDescriptor, 0);
  if (memory == MAP_FAILED) return {};
  return {static_cast<std::byte*>(memory), kStagingBytes};
}

/// Returns when the judge has gone, when it sends what is no request, or when the context is lost.
int serve(Executor& executor, std::uint64_t nonce) {
  for (;;) {
    const Result<Frame> request = receive_frame(kSocketDescriptor, nonce, kForever);
    if (!request) {
      if (request.error().code == ErrorCode::kIo) return 0;
      std::fprintf(stderr, "%s\n", request.error().text().c_str());
      return 1;
    }
    const Dispatched done = dispatch(executor, *request);
    std::vector<int> descriptors;
    for (const Descriptor& descriptor : done.answer.descriptors)
      descriptors.push_back(descriptor.number());
    if (!send_frame(kSocketDescriptor, nonce, done.answer.body, descriptors)) return 0;
    if (done.last) return 0;
  }
}

int start(int count, char** arguments) {
  const auto nonce = count == 2 ? nonce_from(arguments[1]) : std::nullopt;
  if (!nonce) {
    std::fprintf(stderr, "kernelpro-gpu is started by kernelpro, not by hand\n");
    return 2;
  }
  if (!limit_process()) std::fprintf(stderr, "kernelpro-gpu: the system refuses its limits\n");
  Executor executor;
  executor.staging = map_staging();
  if (executor.staging.empty()) {
    std::perror("kernelpro-gpu: no staging memory");
    return 2;
  }
  return serve(executor, *nonce);
}

}  // namespace
}  // namespace kp::device::cuda

int main(int count, char** arguments) {
  using namespace kp::device::cuda;  // NOLINT
  // The tool that watches a replay tells what it saw when the process ends in the ordinary way.
  if (count == 3 && std::string_view(arguments[1]) == "replay") std::exit(replay(arguments[2]));
  // Without destructors: the driver's own would wait for kernels that never end.
  ::_exit(start(count, arguments));
}
