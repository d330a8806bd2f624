// SPDX-License-Identifier: Apache-2.0
#include "suite/own_kernels.h"

#include <gtest/gtest.h>

namespace kp::suite {
namespace {

TEST(OwnKernels, are_functions_marked_global_and_those_under_a_decorator_of_triton) {
  const auto names = kernels_defined_in(R"(
cuda = """
template <typename T> __global__ void __launch_bounds__(256, 2) scale(T* x) {}
extern "C" __global__ void
shift (float* x) {}
__device__ float helper(float x) { return x; }
"""
@triton.autotune(configs=[], key=["n"])
@triton.jit
def add_kernel(x, n: tl.constexpr):
    pass

def launch(x):
    return x
)");
  EXPECT_EQ(names, (std::set<std::string>{"add_kernel", "scale", "shift"}));
}

TEST(OwnKernels, are_known_by_their_last_name) {
  EXPECT_EQ(base_name("scale(float*, int)"), "scale");
  EXPECT_EQ(base_name("void scale<float, 4>(float*)"), "scale");
  EXPECT_EQ(base_name("void at::native::vectorized_elementwise_kernel<4, at::native::Add<float> >"
                      "(int, at::native::Add<float>)"),
            "vectorized_elementwise_kernel");
  EXPECT_EQ(base_name("at::native::(anonymous namespace)::reduce<2>(int)"), "reduce");
  EXPECT_EQ(base_name("std::enable_if<true, void>::type fill<int>(int)"), "fill");
  EXPECT_EQ(base_name("ampere_sgemm_128x64_nn"), "ampere_sgemm_128x64_nn");
  EXPECT_EQ(base_name(""), "");
}

TEST(OwnKernels, share_the_time_with_those_of_libraries) {
  Claim claim;
  divide_kernels({{"void scale<float>(float*)", 250, 1},
                  {"Memset (Device)", 50, 1},
                  {"ampere_sgemm_128x64_nn", 700, 2}},
                 {"scale"}, claim);
  ASSERT_TRUE(claim.own_share);
  EXPECT_DOUBLE_EQ(*claim.own_share, 0.25);
  EXPECT_EQ(claim.library_kernels,
            (std::vector<std::string>{"ampere_sgemm_128x64_nn", "Memset (Device)"}));
}

TEST(OwnKernels, have_no_share_of_nothing) {
  Claim claim;
  divide_kernels({}, {"scale"}, claim);
  EXPECT_FALSE(claim.own_share);
}

}  // namespace
}  // namespace kp::suite
