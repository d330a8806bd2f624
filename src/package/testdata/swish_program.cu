// SPDX-License-Identifier: Apache-2.0
// Calls the exported operator; the fake runtime prints what it launches.
#include "op.h"
#include "program.cuh"
extern "C" void op_optimized_swish(const float*, float*, int);
extern "C" void op_original_swish(const float*, float*, int);
void print(void** a) {
  std::printf(" x+%td y+%td n=%d", argument<const float*>(a, 0) - (const float*)4096,
              argument<float*>(a, 1) - (float*)8192, argument<int>(a, 2));
}
void call(std::int64_t n, std::ptrdiff_t offset) {
  const int status =
      kernelpro::op::launch((const float*)4096 + offset, (float*)8192, n, nullptr, nullptr);
  if (status != 0) std::printf("n=%lld: error %d\n", (long long)n, status);
}
int main() {
  kernels()[(const void*)op_optimized_swish] = {"optimized", print};
  kernels()[(const void*)op_original_swish] = {"original", print};
  call(1003, 0);
  call(1048576, 0);
  call(5000, 4);
  call(5000, 1);
  call(1002, 0);
  call(1048577, 0);
  call(0, 0);
  call(1ll << 33, 0);
  std::printf("workspace %lld %lld\n", (long long)kernelpro::op::workspace_bytes(1003),
              (long long)kernelpro::op::workspace_bytes(0));
}
