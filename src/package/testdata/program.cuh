// SPDX-License-Identifier: Apache-2.0
// What the programs that run exported launchers share: each launch as a line.
#pragma once
#include <map>
#include <string>

#include "cuda_runtime.h"

struct Seen {
  const char* name;
  void (*arguments)(void**);  // prints them
};
inline std::map<const void*, Seen>& kernels() {
  static std::map<const void*, Seen> known;
  return known;
}
template <class T>
T argument(void** arguments, int i) {
  return *static_cast<T*>(arguments[i]);
}

void recorded(const cudaLaunchConfig_t& c, const void* kernel, void** arguments) {
  const Seen& seen = kernels().at(kernel);
  std::printf("%s<<<(%u, %u, %u), (%u, %u, %u), %zu>>>", seen.name, c.gridDim.x, c.gridDim.y,
              c.gridDim.z, c.blockDim.x, c.blockDim.y, c.blockDim.z, c.dynamicSmemBytes);
  for (unsigned i = 0; i < c.numAttrs; ++i)
    std::printf(" attribute %d (%u)", c.attrs[i].id, c.attrs[i].val.clusterDim.x);
  seen.arguments(arguments);
  std::printf("\n");
}
