// SPDX-License-Identifier: Apache-2.0
// As much of the driver's header as exported launchers name.
#pragma once
#include <cstdint>
typedef std::uint64_t cuuint64_t;
typedef std::uint32_t cuuint32_t;
typedef enum { CUDA_SUCCESS = 0 } CUresult;
struct alignas(64) CUtensorMap {
  unsigned long long opaque[16];
};
typedef enum { CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 } CUtensorMapDataType;
typedef enum { CU_TENSOR_MAP_INTERLEAVE_NONE } CUtensorMapInterleave;
typedef enum { CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_128B } CUtensorMapSwizzle;
typedef enum { CU_TENSOR_MAP_L2_PROMOTION_L2_128B } CUtensorMapL2promotion;
typedef enum { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE } CUtensorMapFloatOOBfill;
