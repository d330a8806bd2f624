// SPDX-License-Identifier: Apache-2.0
// A single-file task in which one thread handles one row and looks at all rows of another array,
// for tests of the rewrites that split or stage rows.
#pragma once
#include <gtest/gtest.h>

#include <string>

namespace kp::propose {

/// One thread for each query; every one looks at all keys.
inline std::string nearest(const std::string& body, int block = 128) {
  return "/* kernelpro\n"
         "axis   queries = 512, keys = 256\n"
         "input  query : f32[queries, 64]\n"
         "input  key : f32[keys, 64]\n"
         "output best : f32[queries]\n"
         "output mean : f32[queries, 64]\n"
         "launch look<<<ceil_div(queries, " +
         std::to_string(block) + "), " + std::to_string(block) +
         ">>>(query, key, best, mean, queries, keys)\n"
         "*/\n"
         "#define DIM 64\n"
         "extern \"C\" __global__ void look(const float* query, const float* key, float* best,\n"
         "                                float* mean, int queries, int keys) {\n"
         "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (row >= queries) return;\n" +
         body + "}\n";
}

inline const std::string kBody = R"(  float mine[DIM], sum[DIM];
  for (int d = 0; d < DIM; ++d) {
    mine[d] = query[row * DIM + d];
    sum[d] = 0.0f;
  }
  float largest = 0.0f;
  for (int j = 0; j < keys; ++j) {
    float dot = 0.0f;
    for (int d = 0; d < DIM; ++d) dot += mine[d] * key[j * DIM + d];
    largest = fmaxf(largest, dot);
    for (int d = 0; d < DIM; ++d) sum[d] += dot * key[j * DIM + d];
  }
  best[row] = largest;
  for (int d = 0; d < DIM; ++d) mean[row * DIM + d] = sum[d];
)";

inline std::string changed(const std::string& from, const std::string& to) {
  std::string body = kBody;
  const std::size_t at = body.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return nearest(body.replace(at, from.size(), to));
}

}  // namespace kp::propose
