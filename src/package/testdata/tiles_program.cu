// SPDX-License-Identifier: Apache-2.0
// Calls the exported operator; the fake runtime prints what it launches.
#include "op.h"
#include "program.cuh"
extern "C" void op_optimized_tiles(CUtensorMap, float*, int);
extern "C" void op_original_rows(const float*, float*, int);
void tiles(void** a) { std::printf(" n=%d", argument<int>(a, 2)); }
void rows(void** a) { std::printf(" n=%d", argument<int>(a, 2)); }
int main() {
  kernels()[(const void*)op_optimized_tiles] = {"tiles", tiles};
  kernels()[(const void*)op_original_rows] = {"rows", rows};
  for (const std::int64_t n : {256, 128, 320}) {
    const int status =
        kernelpro::op::launch((const float*)4096, (float*)8192, n, nullptr, nullptr);
    std::printf("status %d\n", status);
  }
}
