// SPDX-License-Identifier: Apache-2.0
// Single-file tasks around a contraction, for tests of its recogniser and of the rewrites.
#pragma once
#include <string>

namespace kp::propose {

/// A matrix product with a bounds check in front, as a kernel's body.
inline const std::string kPlainProduct = R"(
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m || j >= n) return;
  float sum = 0.0f;
  for (int t = 0; t < k; ++t) sum += a[i * k + t] * b[t * n + j];
  c[i * n + j] = 2.0f * sum;
)";

/// A task over a[m, k], b[k, n] of `type` and c[m, n]; the kernel's elements are `element`.
inline std::string contraction_source(const std::string& body, const std::string& type = "f32",
                                      const std::string& element = "float") {
  return "/* kernelpro\n"
         "axis   m = 512, n = 384, k = 256\n"
         "input  a : " +
         type +
         "[m, k]\n"
         "input  b : " +
         type +
         "[k, n]\n"
         "output c : f32[m, n]\n"
         "launch product<<<(ceil_div(n, 16), ceil_div(m, 16)), (16, 16)>>>(a, b, c, m, n, k)\n"
         "*/\n"
         "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
         "extern \"C\" __global__ void product(const " +
         element + "* a, const " + element + "* b, float* c, int m, int n, int k) {" + body + "}\n";
}

}  // namespace kp::propose
