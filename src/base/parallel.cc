// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <vector>

#include "base/text.h"

namespace kp {

unsigned available_cores() {
  constexpr long long kMostThreads = 4096;
  if (const char* wanted = std::getenv("KERNELPRO_THREADS")) {
    const std::optional<long long> count = parse_integer(wanted);
    if (count && *count > 0) return static_cast<unsigned>(std::min(*count, kMostThreads));
  }
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&mask)));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  // An exception from body is a bug in the caller: noexcept ends the program where it was thrown.
  const auto work = [&]() noexcept {
    for (std::size_t i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::jthread> helpers;
  const std::size_t wanted = std::min<std::size_t>(std::max(threads, 1u), count);
  try {
    while (helpers.size() + 1 < wanted) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // The system has no more threads to give: the ones we have do all the work.
  }
  work();
}

}  // namespace kp
