// SPDX-License-Identifier: Apache-2.0
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
extern "C" __global__ void sums(const int* x, int* y) {
  using Reduce = cub::BlockReduce<int, 128>;
  using Scan = cub::BlockScan<int, 128>;
  using Warp = cub::WarpReduce<int>;
  __shared__ union {
    typename Reduce::TempStorage r;
    typename Scan::TempStorage s;
    typename Warp::TempStorage w[4];
  } t;
  int i = threadIdx.x, v = x[i];
  int total = Reduce(t.r).Sum(v);
  if (i == 0) y[0] = total;
  __syncthreads();
  int high = Reduce(t.r).Reduce(
      v, [](int a, int b) { return a > b ? a : b; }, 100);
  if (i == 0) y[1] = high;
  __syncthreads();
  int before;
  int all;
  Scan(t.s).ExclusiveSum(v, before, all);
  y[2 + i] = before;
  y[2 + 128 + i] = all;
  __syncthreads();
  int w = Warp(t.w[i / 32]).Sum(v);
  if (i % 32 == 0) y[258 + i / 32] = w;
}
extern "C" __global__ void sorts(const unsigned* keys, unsigned* out, int* values) {
  using Load = cub::BlockLoad<unsigned, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<unsigned, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<unsigned, 128, 4, int>;
  __shared__ union {
    typename Load::TempStorage l;
    typename Store::TempStorage st;
    typename Sort::TempStorage s;
  } t;
  unsigned k[4];
  int v[4];
  Load(t.l).Load(keys, k);
  for (int e = 0; e < 4; ++e) v[e] = threadIdx.x * 4 + e;
  __syncthreads();
  Sort(t.s).Sort(k, v);
  __syncthreads();
  Store(t.st).Store(out, k);
  for (int e = 0; e < 4; ++e) values[threadIdx.x * 4 + e] = v[e];
}
extern "C" __global__ void floats_sorted(const float* keys, float* out) {
  using Sort = cub::BlockRadixSort<float, 64, 2>;
  __shared__ typename Sort::TempStorage s;
  float k[2] = {keys[threadIdx.x * 2], keys[threadIdx.x * 2 + 1]};
  Sort(s).SortDescending(k);
  out[threadIdx.x * 2] = k[0];
  out[threadIdx.x * 2 + 1] = k[1];
}
extern "C" __global__ void histograms(const unsigned char* x, unsigned* y) {
  using Atomic = cub::BlockHistogram<unsigned char, 64, 4, 256, cub::BLOCK_HISTO_ATOMIC>;
  using Sorted = cub::BlockHistogram<unsigned char, 64, 4, 256, cub::BLOCK_HISTO_SORT>;
  __shared__ typename Atomic::TempStorage a;
  __shared__ typename Sorted::TempStorage b;
  __shared__ unsigned bins[256];
  unsigned char v[4];
  for (int e = 0; e < 4; ++e) v[e] = x[threadIdx.x * 4 + e];
  Atomic(a).Histogram(v, bins);
  __syncthreads();
  for (int e = threadIdx.x; e < 256; e += 64) y[e] = bins[e];
  __syncthreads();
  Sorted(b).Histogram(v, bins);
  __syncthreads();
  for (int e = threadIdx.x; e < 256; e += 64) y[256 + e] = bins[e];
}
extern "C" __global__ void exchanges(const int* x, int* y) {
  using Exchange = cub::BlockExchange<int, 64, 4>;
  using Heads = cub::BlockDiscontinuity<int, 64>;
  using WarpScan = cub::WarpScan<int>;
  __shared__ typename Exchange::TempStorage t;
  __shared__ typename Heads::TempStorage h;
  __shared__ typename WarpScan::TempStorage w[2];
  int v[4];
  for (int e = 0; e < 4; ++e) v[e] = x[threadIdx.x * 4 + e];
  int flags[4];
  Heads(h).FlagHeads(flags, v, [](int a, int b) { return a / 8 != b / 8; });
  Exchange(t).BlockedToStriped(v);
  for (int e = 0; e < 4; ++e) y[e * 64 + threadIdx.x] = v[e];
  for (int e = 0; e < 4; ++e) y[256 + threadIdx.x * 4 + e] = flags[e];
  int p;
  WarpScan(w[threadIdx.x / 32]).InclusiveSum(v[0], p);
  y[512 + threadIdx.x] = p;
}
