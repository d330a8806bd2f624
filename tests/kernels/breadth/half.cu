// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
extern "C" __global__ void half_math(const __half* a, const __half* b, __half* y, int n) {
  int i = threadIdx.x;
  __half p = a[i], q = b[i];
  int k = 0;
  auto put = [&](__half v) { y[n * k++ + i] = v; };
  put(__hadd(p, q));
  put(__hsub(p, q));
  put(__hmul(p, q));
  put(__hdiv(p, q));
  put(__hfma(p, q, p));
  put(__hadd_sat(p, q));
  put(__hmul_sat(p, q));
  put(__hfma_sat(p, q, p));
  put(__hfma_relu(p, q, p));
  put(__hneg(p));
  put(__habs(p));
  put(__hmax(p, q));
  put(__hmin(p, q));
  put(__hmax_nan(p, q));
  put(__hmin_nan(p, q));
  put(hsqrt(__habs(p)));
  put(hrsqrt(__habs(p)));
  put(hrcp(p));
  put(hexp(p));
  put(hexp2(p));
  put(hlog(__habs(p)));
  put(hlog2(__habs(p)));
  put(hsin(p));
  put(hcos(p));
  put(hexp10(p));
  put(hlog10(__habs(p)));
  put(htrunc(p));
  put(hceil(p));
  put(hfloor(p));
  put(hrint(p));
  put(htanh_approx(p));
  put(htanh(p));
  put(__float2half_rz(__half2float(p) * 1.001f));
  put(__float2half_rd(__half2float(p) * 1.001f));
  put(__float2half_ru(__half2float(p) * 1.001f));
  put(__int2half_rn(i * 77));
  put(__uint2half_rz(i * 1777));
  put(__ull2half_rn(i * 7777ull));
  put(__double2half(1.0 / (i + 1)));
  put(__short2half_rn((short)(i * 99)));
  put(__ushort_as_half((unsigned short)(__half2int_rz(p) & 0x7fff)));
  put(__int2half_rd(__half2int_rn(q)));
  put(__int2half_ru((int)__half2uint_rz(__habs(q))));
  put(__ll2half_rn(__half2ll_rd(q)));
  put(__heq(p, q) ? p : q);
  put(__hlt(p, q) ? p : q);
  put(__hgtu(p, q) ? p : q);
  put(__hisnan(p) ? q : p);
  put(__hisinf(p) ? q : p);
}
extern "C" __global__ void half2_math(const __half2* a, const __half2* b, __half2* y, int n) {
  int i = threadIdx.x;
  __half2 p = a[i], q = b[i];
  int k = 0;
  auto put = [&](__half2 v) { y[n * k++ + i] = v; };
  put(__hadd2(p, q));
  put(__hsub2(p, q));
  put(__hmul2(p, q));
  put(__h2div(p, q));
  put(__hfma2(p, q, p));
  put(__hfma2_relu(p, q, p));
  put(__hfma2_sat(p, q, p));
  put(__hadd2_rn(p, q));
  put(__hmul2_rn(p, q));
  put(__hcmadd(p, q, p));
  put(__hmax2(p, q));
  put(__hmin2(p, q));
  put(__hneg2(p));
  put(__habs2(p));
  put(h2exp2(p));
  put(h2sin(p));
  put(h2tanh_approx(p));
  put(h2rcp(p));
  put(h2sqrt(__habs2(p)));
  put(h2floor(p));
  put(__heq2(p, q));
  put(__hlt2(p, q));
  put(__hgeu2(p, q));
  put(__lows2half2(p, q));
  put(__highs2half2(p, q));
  put(__lowhigh2highlow(p));
  put(__low2half2(p));
  unsigned m = __hgt2_mask(p, q);
  put(*(__half2*)&m);
  m = __hneu2_mask(p, q);
  put(*(__half2*)&m);
  put(__hbgt2(p, q) ? p : q);
  put(__float22half2_rn(__half22float2(p)));
  put(__floats2half2_rn(1.5f * i, 0.1f * i));
  put(__shfl_xor_sync(~0u, p, 1));
}
extern "C" __global__ void brain_math(const __nv_bfloat16* a, const __nv_bfloat16* b,
                                      __nv_bfloat16* y, int n) {
  int i = threadIdx.x;
  __nv_bfloat16 p = a[i], q = b[i];
  int k = 0;
  auto put = [&](__nv_bfloat16 v) { y[n * k++ + i] = v; };
  put(__hadd(p, q));
  put(__hsub(p, q));
  put(__hmul(p, q));
  put(__hdiv(p, q));
  put(__hfma(p, q, p));
  put(__hfma_relu(p, q, p));
  put(__hadd_sat(p, q));
  put(__hfma_sat(p, q, p));
  put(__hneg(p));
  put(__habs(p));
  put(__hmax(p, q));
  put(__hmin_nan(p, q));
  put(hexp(p));
  put(hlog2(__habs(p)));
  put(hsqrt(__habs(p)));
  put(hrsqrt(__habs(p)));
  put(hsin(p));
  put(htanh_approx(p));
  put(hfloor(p));
  put(hrint(p));
  put(__float2bfloat16_rz(__bfloat162float(p) * 1.001f));
  put(__float2bfloat16_ru(__bfloat162float(p) * 1.001f));
  put(__int2bfloat16_rn(i * 12345));
  put(__uint2bfloat16_rz(i * 54321u));
  put(__ll2bfloat16_rn(i * 123456789ll));
  put(__double2bfloat16(1.0 / (i + 1)));
  put(__int2bfloat16_rd(__bfloat162int_rz(p)));
  put(__short2bfloat16_rn(__bfloat162short_rz(q)));
  put(__heq(p, q) ? p : q);
  put(__hleu(p, q) ? p : q);
}
extern "C" __global__ void brain2_math(const __nv_bfloat162* a, const __nv_bfloat162* b,
                                       __nv_bfloat162* y, int n) {
  int i = threadIdx.x;
  __nv_bfloat162 p = a[i], q = b[i];
  int k = 0;
  auto put = [&](__nv_bfloat162 v) { y[n * k++ + i] = v; };
  put(__hadd2(p, q));
  put(__hsub2(p, q));
  put(__hmul2(p, q));
  put(__h2div(p, q));
  put(__hfma2(p, q, p));
  put(__hfma2_relu(p, q, p));
  put(__hmax2(p, q));
  put(__hmin2_nan(p, q));
  put(__habs2(p));
  put(h2exp2(p));
  put(__floats2bfloat162_rn(0.3f * i, -1.1f * i));
  put(__hgt2(p, q));
  put(__hne2(p, q));
}
extern "C" __global__ void half_atomics(__half2* h, __nv_bfloat162* b, __half* h1,
                                        __nv_bfloat16* b1) {
  atomicAdd(h, __floats2half2_rn(1.0f, 0.5f));
  atomicAdd(b, __floats2bfloat162_rn(1.0f, 2.0f));
  atomicAdd(h1 + threadIdx.x % 3, __float2half(1.0f));
  atomicAdd(b1 + threadIdx.x % 2, __float2bfloat16(1.0f));
}
extern "C" __global__ void fp8(const float* x, unsigned char* y, float* z) {
  int i = threadIdx.x;
  __nv_fp8_e4m3 a(x[i]);
  __nv_fp8_e5m2 b(x[i]);
  y[2 * i] = a.__x;
  y[2 * i + 1] = b.__x;
  z[2 * i] = float(a);
  z[2 * i + 1] = float(b);
  __nv_fp8x2_e4m3 c(make_float2(x[i], -x[i]));
  y[64 + 2 * i] = c.__x & 255;
  y[64 + 2 * i + 1] = c.__x >> 8;
}
