// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void wmma_half(const __half* a, const __half* b, float* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 1.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(c, fa, fb, c);
  for (int i = 0; i < c.num_elements; ++i) c.x[i] *= 2;
  wmma::store_matrix_sync(d, c, 16, wmma::mem_row_major);
}
extern "C" __global__ void wmma_half16(const __half* a, const __half* b, __half* d) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::col_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, __half> c;
  wmma::fill_fragment(c, __float2half(0.0f));
  wmma::load_matrix_sync(fa, a, 32);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(c, fa, fb, c);
  wmma::store_matrix_sync(d, c, 8, wmma::mem_row_major);
}
extern "C" __global__ void wmma_brain(const __nv_bfloat16* a, const __nv_bfloat16* b, float* d) {
  wmma::fragment<wmma::matrix_a, 8, 32, 16, __nv_bfloat16, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, __nv_bfloat16, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 8, 32, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 32);
  wmma::mma_sync(c, fa, fb, c);
  wmma::store_matrix_sync(d, c, 8, wmma::mem_col_major);
}
extern "C" __global__ void wmma_tf32(const float* a, const float* b, float* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(fa, a, 8);
  wmma::load_matrix_sync(fb, b, 8);
  for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
  wmma::mma_sync(c, fa, fb, c);
  wmma::store_matrix_sync(d, c, 16, wmma::mem_row_major);
}
extern "C" __global__ void wmma_double(const double* a, const double* b, double* d) {
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> c;
  wmma::fill_fragment(c, 0.0);
  wmma::load_matrix_sync(fa, a, 4);
  wmma::load_matrix_sync(fb, b, 4);
  wmma::mma_sync(c, fa, fb, c);
  wmma::store_matrix_sync(d, c, 8, wmma::mem_row_major);
}
extern "C" __global__ void wmma_bytes(const signed char* a, const signed char* b, int* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
  wmma::fill_fragment(c, 0);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(c, fa, fb, c);
  wmma::store_matrix_sync(d, c, 16, wmma::mem_row_major);
}
// mma.sync inline, fragments by the layouts of the PTX manual, from shared memory by ldmatrix
extern "C" __global__ void mma_inline(const __half* a, const __half* b, float* d, __half* back) {
  __shared__ __half sa[16 * 16], sb[16 * 8], so[16 * 16];
  int l = threadIdx.x;
  for (int i = l; i < 256; i += 32) sa[i] = a[i];
  for (int i = l; i < 128; i += 32) sb[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  float c[4] = {0, 0, 0, 0};
  unsigned pa = __cvta_generic_to_shared(sa + (l % 16) * 16 + l / 16 * 8);
  unsigned pb = __cvta_generic_to_shared(sb + (l % 16) * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
               : "r"(pa));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(rb[0]), "=r"(rb[1])
               : "r"(pb));
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  int row = l / 4, col = l % 4 * 2;
  d[row * 8 + col] = c[0];
  d[row * 8 + col + 1] = c[1];
  d[(row + 8) * 8 + col] = c[2];
  d[(row + 8) * 8 + col + 1] = c[3];
  unsigned po = __cvta_generic_to_shared(so + (l % 16) * 16 + l / 16 * 8);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(po),
               "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3])
               : "memory");
  __syncwarp();
  for (int i = l; i < 256; i += 32) back[i] = so[i];
}
extern "C" __global__ void mma_kinds(const unsigned* a, float* d, int* e) {
  int l = threadIdx.x;
  unsigned r[8];
  for (int i = 0; i < 8; ++i) r[i] = a[l * 8 + i];
  float c[4] = {1, 2, 3, 4};
  int q[4] = {1, 2, 3, 4};
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]));
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]));
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(r[0]), "r"(r[1]), "r"(r[4]));
  asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(r[0]), "r"(r[1]), "r"(r[4]));
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+r"(q[0]), "+r"(q[1]), "+r"(q[2]), "+r"(q[3])
      : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]));
  asm("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
      : "+r"(q[0]), "+r"(q[1]), "+r"(q[2]), "+r"(q[3])
      : "r"(r[0]), "r"(r[1]), "r"(r[4]));
  unsigned h[2] = {0, 0};
  asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
      : "+r"(h[0]), "+r"(h[1])
      : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]));
  for (int i = 0; i < 4; ++i) d[l * 4 + i] = c[i], e[l * 6 + i] = q[i];
  e[l * 6 + 4] = h[0];
  e[l * 6 + 5] = h[1];
}
extern "C" __global__ void mma_double(const double* a, double* d) {
  int l = threadIdx.x;
  double c[4] = {0, 0, 0, 0};
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a[l]), "d"(a[l + 32]));
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
      "{%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[l]), "d"(a[l + 32]), "d"(a[l + 5]));
  for (int i = 0; i < 4; ++i) d[l * 4 + i] = c[i];
}
