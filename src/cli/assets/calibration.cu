// SPDX-License-Identifier: Apache-2.0
// What `kernelpro doctor --calibrate` times (ceilings.cc). Each kernel keeps one resource busy and
// ends in a store that depends on all it did.

extern "C" __global__ void calibrate_launch() {}

extern "C" __global__ void calibrate_copy(const float4* x, float4* y, int n, int) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

// Reads the same bytes again and again, past the L1.
extern "C" __global__ void calibrate_l2(const float4* x, float4* y, int n, int passes) {
  float4 sum = make_float4(0, 0, 0, 0);
  for (int pass = 0; pass < passes; ++pass) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
      const float4 v = __ldcg(x + i);
      sum.x += v.x;
      sum.y += v.y;
      sum.z += v.z;
      sum.w += v.w;
    }
  }
  if (sum.x == 12345.0f) y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Eight independent chains of multiply-adds.
template <class T>
__device__ void chains(float4* y, int passes) {
  T sum[8];
  const T factor = T(0.999), start = T(threadIdx.x);
  for (int j = 0; j < 8; ++j) sum[j] = start + T(j);
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll
    for (int j = 0; j < 8; ++j) sum[j] = sum[j] * factor + start;
  }
  T all = 0;
  for (int j = 0; j < 8; ++j) all += sum[j];
  if (all == T(12345)) y[threadIdx.x].x = float(all);
}
extern "C" __global__ void calibrate_f32(const float4*, float4* y, int, int passes) {
  chains<float>(y, passes);
}
extern "C" __global__ void calibrate_f64(const float4*, float4* y, int, int passes) {
  chains<double>(y, passes);
}

// Eight independent products of one warp; operands in registers.
#define MMA_KERNEL(NAME, FORM, BITS)                                                      \
  extern "C" __global__ void NAME(const float4*, float4* y, int, int passes) {            \
    unsigned a[4], b[2];                                                                  \
    float c[8][4];                                                                        \
    for (int j = 0; j < 4; ++j) a[j] = BITS + threadIdx.x * 64;                           \
    for (int j = 0; j < 2; ++j) b[j] = BITS + threadIdx.x * 32;                           \
    for (int k = 0; k < 8; ++k)                                                           \
      for (int j = 0; j < 4; ++j) c[k][j] = 0;                                            \
    for (int pass = 0; pass < passes; ++pass) {                                           \
      _Pragma("unroll") for (int k = 0; k < 8; ++k) {                                     \
        asm volatile("mma.sync.aligned." FORM                                             \
                     " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"             \
                     : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3])         \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])); \
      }                                                                                   \
    }                                                                                     \
    float sum = 0;                                                                        \
    for (int k = 0; k < 8; ++k)                                                           \
      for (int j = 0; j < 4; ++j) sum += c[k][j];                                         \
    if (sum == 12345.0f) y[threadIdx.x].x = sum;                                          \
  }
// Operands about one: 0x3c00 is 1 in fp16, 0x3f80 in bf16, 0x3f800000 in tf32.
MMA_KERNEL(calibrate_f16, "m16n8k16.row.col.f32.f16.f16.f32", 0x3c003c00u)
MMA_KERNEL(calibrate_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32", 0x3f803f80u)
MMA_KERNEL(calibrate_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32", 0x3f800000u)
