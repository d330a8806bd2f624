// SPDX-License-Identifier: Apache-2.0
// Work over the host's cores.
#pragma once
#include <cstddef>
#include <functional>

namespace kp {

/// Cores that this process may use (affinity mask), or $KERNELPRO_THREADS when it is set; at
/// least 1.
unsigned available_cores();

/// Calls body(i) once for each i in [0, count) on at most `threads` threads and returns when all
/// are done. Which thread runs which i is not defined: body must not depend on it.
void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& body);

}  // namespace kp
