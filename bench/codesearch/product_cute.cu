// SPDX-License-Identifier: Apache-2.0
/* kernelpro
// A tiled product written with CuTe, to see that candidates of level cute build, run and are judged.
axis   rows = 256, columns = 256, depth = 64
check  rows = 128, columns = 128, depth = 16
input  a : f32[rows, depth]
input  b : f32[depth, columns]
output c : f32[rows, columns]
work   flops = 2 * rows * columns * depth, contraction
level  cute
launch product<<<(rows / 128, columns / 128), 256>>>(a, b, c, rows, columns, depth)
oracle launch expected<<<(rows, columns / 128), 128>>>(a, b, c, columns, depth)
*/
#include <cute/tensor.hpp>

using namespace cute;

extern "C" __global__ void __launch_bounds__(256)
    product(const float* a, const float* b, float* c, int rows, int columns, int depth) {
  auto tile = make_shape(Int<128>{}, Int<128>{}, Int<8>{});
  auto at = make_coord(blockIdx.x, blockIdx.y, _);
  auto all_a = make_tensor(make_gmem_ptr(a), make_shape(rows, depth), make_stride(depth, _1{}));
  auto all_b =
      make_tensor(make_gmem_ptr(b), make_shape(columns, depth), make_stride(_1{}, columns));
  auto all_c =
      make_tensor(make_gmem_ptr(c), make_shape(rows, columns), make_stride(columns, _1{}));
  auto global_a = local_tile(all_a, tile, at, Step<_1, X, _1>{});
  auto global_b = local_tile(all_b, tile, at, Step<X, _1, _1>{});
  auto global_c = local_tile(all_c, tile, at, Step<_1, _1, X>{});
  __shared__ float memory_a[128 * 8], memory_b[128 * 8];
  auto shared_a = make_tensor(make_smem_ptr(memory_a), make_shape(Int<128>{}, Int<8>{}));
  auto shared_b = make_tensor(make_smem_ptr(memory_b), make_shape(Int<128>{}, Int<8>{}));
  auto loading = make_layout(make_shape(Int<32>{}, Int<8>{}));
  auto computing = make_layout(make_shape(Int<16>{}, Int<16>{}));
  auto from_a = local_partition(global_a, loading, threadIdx.x);
  auto from_b = local_partition(global_b, loading, threadIdx.x);
  auto to_a = local_partition(shared_a, loading, threadIdx.x);
  auto to_b = local_partition(shared_b, loading, threadIdx.x);
  auto own_a = local_partition(shared_a, computing, threadIdx.x, Step<_1, X>{});
  auto own_b = local_partition(shared_b, computing, threadIdx.x, Step<X, _1>{});
  auto own_c = local_partition(global_c, computing, threadIdx.x, Step<_1, _1>{});
  auto sum = make_tensor_like(own_c);
  clear(sum);
  for (int k = 0; k < size<2>(from_a); ++k) {
    copy(from_a(_, _, k), to_a);
    copy(from_b(_, _, k), to_b);
    __syncthreads();
    gemm(own_a, own_b, sum);
    __syncthreads();
  }
  copy(sum, own_c);
}

extern "C" __global__ void expected(const double* a, const double* b, double* c, int columns,
                                    int depth) {
  const int column = blockIdx.y * 128 + threadIdx.x;
  double sum = 0;
  for (int k = 0; k < depth; ++k) sum += a[blockIdx.x * depth + k] * b[k * columns + column];
  c[blockIdx.x * columns + column] = sum;
}
