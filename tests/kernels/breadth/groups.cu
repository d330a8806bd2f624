// SPDX-License-Identifier: Apache-2.0
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tiles(const int* x, int* y) {
  auto block = cg::this_thread_block();
  auto t32 = cg::tiled_partition<32>(block);
  auto t16 = cg::tiled_partition<16>(block);
  int i = block.thread_rank();
  int v = x[blockIdx.x * blockDim.x + i];
  int* o = y + (blockIdx.x * blockDim.x + i) * 8;
  o[0] = cg::reduce(t32, v, cg::plus<int>());
  o[1] = cg::reduce(t16, v, cg::greater<int>());
  o[2] = cg::inclusive_scan(t32, v);
  o[3] = cg::exclusive_scan(t16, v, cg::plus<int>());
  o[4] = t16.shfl_xor(v, 3);
  o[5] = t16.ballot(v & 1);
  o[6] = t32.meta_group_rank() * 1000 + t16.thread_rank();
  o[7] = t16.any(v > 90) + 2 * t32.all(v >= 0);
  block.sync();
}
extern "C" __global__ void coalesced(const int* x, int* y, int* count) {
  int i = threadIdx.x;
  int v = x[i];
  y[i] = -1;
  if (v % 3 == 0) {
    auto active = cg::coalesced_threads();
    int base;
    if (active.thread_rank() == 0) base = atomicAdd(count, active.size());
    base = active.shfl(base, 0);
    y[i] = active.thread_rank() + 100 * active.size();
    int s = cg::reduce(active, v, cg::plus<int>());
    y[i] += 10000 * s;
    if (base < 0) y[i] = -2;
  }
}
extern "C" __global__ void labels(const int* x, int* y) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int i = threadIdx.x, v = x[i];
  auto g = cg::labeled_partition(warp, v % 5);
  y[2 * i] = cg::reduce(g, v, cg::plus<int>());
  auto b = cg::binary_partition(warp, v % 2 == 0);
  y[2 * i + 1] = b.size() * 100 + b.thread_rank();
}
extern "C" __global__ void floats(const float* x, float* y) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  float v = x[block.thread_rank()];
  y[block.thread_rank() * 2] = cg::reduce(tile, v, cg::plus<float>());
  y[block.thread_rank() * 2 + 1] = cg::reduce(tile, v, cg::less<float>());
}
extern "C" __global__ void grid_sync(int* a, int* b, int rounds) {
  auto grid = cg::this_grid();
  int n = gridDim.x * blockDim.x, i = grid.thread_rank();
  for (int r = 0; r < rounds; ++r) {
    b[i] = a[(i + 1) % n] + 1;
    grid.sync();
    a[i] = b[(i + n - 1) % n] * 2;
    grid.sync();
  }
}
extern "C" __global__ void block_tile(const int* x, int* y) {
  __shared__ cg::block_tile_memory<256> shared;
  auto block = cg::this_thread_block(shared);
  auto tile = cg::tiled_partition<128>(block);
  int v = x[block.thread_rank()];
  y[block.thread_rank()] = cg::reduce(tile, v, cg::plus<int>()) + tile.meta_group_rank();
}
extern "C" __global__ void copies(const int* x, int* y, int n) {
  extern __shared__ int buffer[];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, buffer, x, sizeof(int) * n);
  cg::wait(block);
  for (int i = block.thread_rank(); i < n; i += block.size()) y[i] = buffer[n - 1 - i];
}
