// SPDX-License-Identifier: Apache-2.0
// Calls the exported operator; the fake runtime prints what it launches.
#include "op.h"
#include "program.cuh"
extern "C" void op_optimized_halves(const float4*, float*, int*, long long, unsigned);
extern "C" void op_optimized_add(const float*, float*, double, int, float);
extern "C" void op_original_row_sums(const float*, float*, float, int, int);
char* const memory = (char*)65536;
void halves(void** a) {
  std::printf(" part+%td flags+%td half=%lld rows=%u", (char*)argument<float*>(a, 1) - memory,
              (char*)argument<int*>(a, 2) - memory, argument<long long>(a, 3),
              argument<unsigned>(a, 4));
}
void add(void** a) {
  std::printf(" part+%td scale=%g rows=%d more=%g", (char*)argument<float*>(a, 0) - memory,
              argument<double>(a, 2), argument<int>(a, 3), argument<float>(a, 4));
}
void row_sums(void** a) { std::printf(" scale=%g cols=%d", argument<float>(a, 2), argument<int>(a, 4)); }
void call(float scale, std::int64_t rows, std::int64_t cols, void* workspace) {
  const int status = kernelpro::op::launch((const float*)4096, scale, (float*)8192, rows, cols,
                                           workspace, nullptr);
  std::printf("status %d\n", status);
}
int main() {
  kernels()[(const void*)op_optimized_halves] = {"halves", halves};
  kernels()[(const void*)op_optimized_add] = {"add", add};
  kernels()[(const void*)op_original_row_sums] = {"row_sums", row_sums};
  std::printf("workspace %lld\n", (long long)kernelpro::op::workspace_bytes(64, 128));
  call(0.5f, 64, 128, memory);
  call(0.5f, 64, 128, memory);
  call(0.5f, 64, 128, nullptr);
  call(0.25f, 64, 128, memory);
  call(0.5f, 64, 96, memory);
}
