// SPDX-License-Identifier: Apache-2.0
// Forces between bodies, tiles of bodies in shared memory.
/* kernelpro
axis   n = 8192
check  n = 8192
input  body : f32[n, 4]
output force : f32[n, 4]
launch nbody<<<n / 128, 128>>>(body, force, n)
*/
extern "C" __global__ void nbody(const float4* body, float4* force, int n) {
  __shared__ float4 tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  float4 me = body[i], sum = make_float4(0, 0, 0, 0);
  for (int start = 0; start < n; start += 128) {
    tile[threadIdx.x] = body[start + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; ++j) {
      float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float strength = tile[j].w * inverse * inverse * inverse;
      sum.x += dx * strength;
      sum.y += dy * strength;
      sum.z += dz * strength;
    }
    __syncthreads();
  }
  force[i] = sum;
}
