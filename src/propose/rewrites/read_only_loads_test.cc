// SPDX-License-Identifier: Apache-2.0
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

const char* kIndex =
    "  int at = blockIdx.x * blockDim.x + threadIdx.x;\n  if (at >= count) return;\n";

std::string source_with(const std::string& body,
                        const std::string& parameters = "float* in, float* out, int count",
                        const std::string& before = "") {
  std::string source = elementwise_source(kIndex + body, parameters);
  source.insert(source.find("extern"), before);
  // An input must be const from the start; what a kernel may write need not be.
  return source.replace(source.find("input  in"), 9, "inout  in");
}

std::string rewritten(const std::string& source) {
  const FakeSubject subject(source);
  const auto versions = subject.versions(*make_read_only_loads());
  return versions.size() == 1 ? versions[0].source : "";
}

TEST(ReadOnlyLoads, makes_what_is_only_read_const_and_all_restricted) {
  const std::string source = rewritten(source_with("  out[at] = in[at] + *(in + at / 2);\n"));
  EXPECT_TRUE(
      contains(source, "(const float* __restrict__ in, float* __restrict__ out, int count)"))
      << source;
}

TEST(ReadOnlyLoads, adds_only_what_is_missing) {
  const std::string source = rewritten(source_with(
      "  out[at] = in[at];\n", "const float* __restrict__ in, float *out, const int count"));
  EXPECT_TRUE(contains(source, "(const float* __restrict__ in, float *__restrict__ out, const"));
}

TEST(ReadOnlyLoads, follows_copies_of_the_pointer) {
  const std::string source = rewritten(
      source_with("  float* from = in + at;\n  const float* next = &in[at / 2];\n"
                  "  out[at] = from[0] + *next++ + reinterpret_cast<const int*>(in)[0];\n"));
  EXPECT_TRUE(contains(source, "(const float* __restrict__ in,")) << source;
  EXPECT_TRUE(contains(source, "const float* from = in + at")) << source;
}

TEST(ReadOnlyLoads, follows_the_pointer_into_functions) {
  const std::string source = rewritten(
      source_with("  put(out, at, get(in + at, 0));\n", "float* in, float* out, int count",
                  "__device__ float get(float* p, int i) { return p[i]; }\n"
                  "__device__ void put(float* p, int i, float v) { p[i] = v; }\n"));
  EXPECT_TRUE(contains(source, "float get(const float* p, int i)")) << source;
  EXPECT_TRUE(contains(source, "void put(float* p, int i")) << source;
  EXPECT_TRUE(contains(source, "(const float* __restrict__ in, float* __restrict__ out"));
}

TEST(ReadOnlyLoads, keeps_pointers_writable_that_are_written_in_any_way) {
  for (const std::string body :
       {"  in[at] += 1.0f; out[at] = 1.0f;\n", "  atomicAdd(&in[at], 1.0f); out[at] = 1.0f;\n",
        "  float* p = in; p[at] = 1.0f; out[at] = 1.0f;\n",
        "  float& r = in[at]; r = 1.0f; out[at] = 1.0f;\n",
        "  ((float4*)in)[at] = make_float4(1, 1, 1, 1); out[at] = 1.0f;\n",
        "  *(at ? in : out) = 1.0f; out[at] = in[at];\n", "  in[at]++; out[at] = 1.0f;\n",
        "  change(in[at]); out[at] = 1.0f;\n", "  any(in + at); out[at] = 1.0f;\n"}) {
    const std::string source =
        rewritten(source_with(body, "float* in, float* out, int count",
                              "__device__ void change(float& x) { x = 1.0f; }\n"
                              "template <class T> __device__ void any(T* x) { *x = 1.0f; }\n"));
    EXPECT_TRUE(contains(source, "(float* __restrict__ in,")) << body << source;
  }
}

TEST(ReadOnlyLoads, does_not_restrict_what_the_plan_binds_to_one_array) {
  std::string source = source_with("  out[at] = in[at] + more[at];\n",
                                   "const float* in, const float* more, float* out, int count");
  const std::size_t call = source.find("(in, out, count)");
  std::string twice = source, in_place = source;
  twice.replace(call, 16, "(in, in, out, count)");
  EXPECT_TRUE(
      contains(rewritten(twice), "const float* __restrict__ in, const float* __restrict__ more"));
  in_place.replace(call, 16, "(in, out, out, count)");
  const std::string kept = rewritten(in_place);
  EXPECT_TRUE(contains(kept, "const float* __restrict__ in, const float* more, float* out"))
      << kept;
}

TEST(ReadOnlyLoads, leaves_volatile_and_declared_kernels_alone) {
  EXPECT_FALSE(FakeSubject(source_with("  out[at] = in[at];\n",
                                       "const volatile float* in, volatile float* out, int count"))
                   .refusal(*make_read_only_loads())
                   .empty());
  EXPECT_FALSE(FakeSubject(source_with("  out[at] = in[at];\n", "float* in, float* out, int count",
                                       "extern \"C\" __global__ void work(float*, float*, int);\n"))
                   .refusal(*make_read_only_loads())
                   .empty());
}

TEST(ReadOnlyLoads, has_nothing_to_add_twice) {
  const std::string once = rewritten(source_with("  out[at] = in[at];\n"));
  EXPECT_FALSE(FakeSubject(once).refusal(*make_read_only_loads()).empty());
}

TEST(ReadOnlyLoads, composes_with_wider_accesses) {
  const std::string wide = FakeSubject(source_with("  out[at] = 2.0f * in[at];\n"))
                               .versions(*make_widen_access())
                               .at(0)
                               .source;
  EXPECT_TRUE(contains(rewritten(wide), "(const float* __restrict__ in, float* __restrict__ out"));
}

}  // namespace
}  // namespace kp::propose
