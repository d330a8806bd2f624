// SPDX-License-Identifier: Apache-2.0
// A CUDA runtime that launches nothing and records what it is asked for, so that exported launchers
// can be run by a host compiler.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda.h>

#define CUDART_VERSION 13000
#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)

typedef int cudaError_t;
enum { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorNotSupported = 801 };
typedef struct FakeStream* cudaStream_t;

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct float4 {
  float x, y, z, w;
};
static dim3 threadIdx, blockIdx, blockDim, gridDim;
inline void __syncthreads() {}
#define __expf(x) (x)

enum { cudaLaunchAttributeClusterDimension = 4, cudaLaunchAttributeCooperative = 2 };
struct cudaLaunchAttribute {
  int id;
  struct {
    dim3 clusterDim;
    int cooperative;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
enum { cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributeNonPortableClusterSizeAllowed = 13 };
enum { cudaEnableDefault = 0 };
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSymbolNotFound = 1 };

/// Told about everything; the program that tests defines it.
void recorded(const cudaLaunchConfig_t& config, const void* kernel, void** arguments);

inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                       void** arguments) {
  recorded(*config, kernel, arguments);
  return cudaSuccess;
}
inline cudaError_t cudaFuncSetAttribute(const void*, int attribute, int value) {
  std::printf("attribute %d = %d\n", attribute, value);
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void*, int, std::size_t bytes, cudaStream_t) {
  std::printf("zero %zu bytes\n", bytes);
  return cudaSuccess;
}
inline CUresult fake_encode(CUtensorMap*, CUtensorMapDataType type, cuuint32_t rank, void*,
                            const cuuint64_t* sizes, const cuuint64_t* strides,
                            const cuuint32_t* box, const cuuint32_t*, CUtensorMapInterleave,
                            CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                            CUtensorMapFloatOOBfill) {
  std::printf("map type %d swizzle %d:", type, swizzle);
  for (cuuint32_t i = 0; i < rank; ++i)
    std::printf(" %zu by %zu box %u", (std::size_t)sizes[i], (std::size_t)strides[i], box[i]);
  std::printf("\n");
  return CUDA_SUCCESS;
}
inline cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned,
                                                    unsigned long long,
                                                    cudaDriverEntryPointQueryResult*) {
  *function = reinterpret_cast<void*>(fake_encode);
  return cudaSuccess;
}
