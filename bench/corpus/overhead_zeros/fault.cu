// SPDX-License-Identifier: Apache-2.0
// Sums of neighbouring channels. An array is cleared and added to for each channel.
/* kernelpro
axis   n = 524288
check  n = 2048
input  x : f32[16, n] ~ normal
output y : f32[16, n]
precision f32
work   flops = 16 * n
buffer part0 : f32[n]
buffer part1 : f32[n]
buffer part2 : f32[n]
buffer part3 : f32[n]
buffer part4 : f32[n]
buffer part5 : f32[n]
buffer part6 : f32[n]
buffer part7 : f32[n]
buffer part8 : f32[n]
buffer part9 : f32[n]
buffer part10 : f32[n]
buffer part11 : f32[n]
buffer part12 : f32[n]
buffer part13 : f32[n]
buffer part14 : f32[n]
buffer part15 : f32[n]
zero   part0
launch add<<<n / 256, 256>>>(x, part0, 0 * n)
launch move<<<n / 256, 256>>>(x, part0, y, 0 * n, 1 * n)
zero   part1
launch add<<<n / 256, 256>>>(x, part1, 1 * n)
launch move<<<n / 256, 256>>>(x, part1, y, 1 * n, 2 * n)
zero   part2
launch add<<<n / 256, 256>>>(x, part2, 2 * n)
launch move<<<n / 256, 256>>>(x, part2, y, 2 * n, 3 * n)
zero   part3
launch add<<<n / 256, 256>>>(x, part3, 3 * n)
launch move<<<n / 256, 256>>>(x, part3, y, 3 * n, 4 * n)
zero   part4
launch add<<<n / 256, 256>>>(x, part4, 4 * n)
launch move<<<n / 256, 256>>>(x, part4, y, 4 * n, 5 * n)
zero   part5
launch add<<<n / 256, 256>>>(x, part5, 5 * n)
launch move<<<n / 256, 256>>>(x, part5, y, 5 * n, 6 * n)
zero   part6
launch add<<<n / 256, 256>>>(x, part6, 6 * n)
launch move<<<n / 256, 256>>>(x, part6, y, 6 * n, 7 * n)
zero   part7
launch add<<<n / 256, 256>>>(x, part7, 7 * n)
launch move<<<n / 256, 256>>>(x, part7, y, 7 * n, 8 * n)
zero   part8
launch add<<<n / 256, 256>>>(x, part8, 8 * n)
launch move<<<n / 256, 256>>>(x, part8, y, 8 * n, 9 * n)
zero   part9
launch add<<<n / 256, 256>>>(x, part9, 9 * n)
launch move<<<n / 256, 256>>>(x, part9, y, 9 * n, 10 * n)
zero   part10
launch add<<<n / 256, 256>>>(x, part10, 10 * n)
launch move<<<n / 256, 256>>>(x, part10, y, 10 * n, 11 * n)
zero   part11
launch add<<<n / 256, 256>>>(x, part11, 11 * n)
launch move<<<n / 256, 256>>>(x, part11, y, 11 * n, 12 * n)
zero   part12
launch add<<<n / 256, 256>>>(x, part12, 12 * n)
launch move<<<n / 256, 256>>>(x, part12, y, 12 * n, 13 * n)
zero   part13
launch add<<<n / 256, 256>>>(x, part13, 13 * n)
launch move<<<n / 256, 256>>>(x, part13, y, 13 * n, 14 * n)
zero   part14
launch add<<<n / 256, 256>>>(x, part14, 14 * n)
launch move<<<n / 256, 256>>>(x, part14, y, 14 * n, 15 * n)
zero   part15
launch add<<<n / 256, 256>>>(x, part15, 15 * n)
launch move<<<n / 256, 256>>>(x, part15, y, 15 * n, 0 * n)
*/
extern "C" __global__ void add(const float* __restrict__ x, float* __restrict__ part, int start) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  atomicAdd(&part[i], x[start + i]);
}
extern "C" __global__ void move(const float* __restrict__ x, const float* __restrict__ part,
                                float* __restrict__ y, int start, int next) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  y[start + i] = part[i] + x[next + i];
}
