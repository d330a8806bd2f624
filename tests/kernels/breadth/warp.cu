// SPDX-License-Identifier: Apache-2.0
extern "C" __global__ void shuffles(const int* x, int* y, const double* d, double* z) {
  int i = threadIdx.x, v = x[i];
  double w = d[i];
  int k = 0;
  auto put = [&](int q) { y[k++ * 32 + i] = q; };
  put(__shfl_sync(~0u, v, 5));
  put(__shfl_sync(~0u, v, i + 1, 8));
  put(__shfl_up_sync(~0u, v, 3));
  put(__shfl_down_sync(~0u, v, 2, 16));
  put(__shfl_xor_sync(~0u, v, 9));
  put(__ballot_sync(~0u, v & 1));
  put(__any_sync(~0u, v == 3));
  put(__all_sync(~0u, v >= 0));
  put(__match_any_sync(~0u, v % 4));
  int all;
  put(__match_all_sync(~0u, v >= 0, &all));
  put(all);
  put(__reduce_add_sync(~0u, v));
  put(__reduce_min_sync(~0u, v));
  put(__reduce_max_sync(~0u, (unsigned)v));
  put(__reduce_and_sync(~0u, v | 1));
  put(__reduce_or_sync(~0u, v));
  put(__reduce_xor_sync(~0u, v));
  put(__activemask());
  put(__match_any_sync(~0u, (unsigned long long)v << 33));
  z[i] = __shfl_xor_sync(~0u, w, 1);
  long long t0 = clock64();
  unsigned c0 = clock();
  __nanosleep(100);
  put(clock64() >= t0);
  put(clock() - c0 < 1u << 30);
  unsigned long long g;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(g));
  put(g > 0);
  if (i < 20) {
    int s = __reduce_add_sync(0xfffff, v);
    put(s);
  } else
    put(-1);
  unsigned leader;
  int p;
  asm volatile("{.reg .pred p; elect.sync %0|p, 0xffffffff; selp.b32 %1, 1, 0, p;}"
               : "=r"(leader), "=r"(p));
  put(leader * 10 + p);
  unsigned lm;
  asm("mov.u32 %0, %lanemask_lt;" : "=r"(lm));
  put(lm);
  unsigned wid, sm;
  asm("mov.u32 %0, %warpid;" : "=r"(wid));
  asm("mov.u32 %0, %smid;" : "=r"(sm));
  put(wid);
  put(sm < 132);
}
extern "C" __global__ void votes(const int* x, int* y) {
  int i = threadIdx.x, v = x[i];
  y[i * 3] = __syncthreads_count(v > 10);
  y[i * 3 + 1] = __syncthreads_and(v >= 0);
  y[i * 3 + 2] = __syncthreads_or(v == 7);
}
