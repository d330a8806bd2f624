// SPDX-License-Identifier: Apache-2.0
#include "draft/draft.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "build/build.h"
#include "task/task.h"

namespace kp::draft {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The draft of `source`; it must be a task whose baseline compiles, where there is a compiler.
Draft drafted(const std::string& source, Bindings axes = {}, std::string kernel = {}) {
  auto draft = draft_task({source, "program.cu", std::move(kernel), std::move(axes)});
  EXPECT_TRUE(draft) << draft.error().text();
  if (!draft) return {};
  const TemporaryFolder folder = *TemporaryFolder::make();
  const Path file = folder.path() / "drafted.cu";
  EXPECT_TRUE(write_file(file, draft->source));
  const auto task = task::read_task(file);
  EXPECT_TRUE(task) << task.error().text() << "\n" << draft->source;
  if (!task) return *draft;
  const auto candidate = task::make_candidate(*task, draft->source, "drafted.cu");
  EXPECT_TRUE(candidate) << candidate.error().text() << "\n" << draft->source;
  auto builder = build::Builder::open();
  if (!builder || !candidate) return *draft;
  const auto outcome = builder->build(*task, *candidate);
  EXPECT_TRUE(outcome) << outcome.error().text();
  const auto* failed = std::get_if<BuildFailed>(&*outcome);
  EXPECT_FALSE(failed) << failed->log << "\n" << draft->source;
  EXPECT_TRUE(std::holds_alternative<build::Binary>(*outcome)) << draft->source;
  return *draft;
}

bool asks(const Draft& draft, const std::string& about) {
  return std::any_of(draft.questions.begin(), draft.questions.end(),
                     [&about](const Question& question) { return question.about == about; });
}

constexpr const char* kProgram = R"(
#include <cstdio>
#include <vector>
#define CHECK(call) do { if ((call) != cudaSuccess) exit(1); } while (0)
constexpr float kScale = 2.5f;

__device__ float twice(float x) { return 2 * x; }

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = twice(a * x[i]) + kScale;
}

int main() {
  const int count = 1 << 20;
  const int threads = 256;
  size_t bytes = count * sizeof(float);
  std::vector<float> h(count);
  float *d_x, *d_y;
  CHECK(cudaMalloc(&d_x, bytes));
  CHECK(cudaMalloc((void**)&d_y, bytes));
  cudaMemcpy(d_x, h.data(), bytes, cudaMemcpyHostToDevice);
  saxpy<<<(count + threads - 1) / threads, threads>>>(count, 1.5f, d_x, d_y);
  cudaMemcpy(h.data(), d_y, bytes, cudaMemcpyDeviceToHost);
  return 0;
}
)";

TEST(Draft, FindsEverythingInAnOrdinaryProgram) {
  const Draft draft = drafted(kProgram);
  EXPECT_TRUE(contains(draft.source, "axis   count = 1048576")) << draft.source;
  EXPECT_TRUE(contains(draft.source, "input  x : f32[count]"));
  EXPECT_TRUE(contains(draft.source, "output y : f32[count]"));
  EXPECT_TRUE(contains(draft.source, "input  a : f32 = 1.5"));
  EXPECT_TRUE(
      contains(draft.source, "launch saxpy<<<ceil_div(count, 256), 256>>>(count, a, x, y)"));
  EXPECT_FALSE(contains(draft.source, "main"));
  EXPECT_FALSE(contains(draft.source, "<vector>"));
  ASSERT_EQ(draft.questions.size(), 1u);  // the work is in nobody's source
  EXPECT_EQ(draft.questions[0].about, "work");
}

TEST(Draft, AsksForTheSizeThatTheFileDoesNotSay) {
  const std::string source = R"(
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  c[i] = a[i] + b[i];
})";
  const Draft draft = drafted(source);
  EXPECT_TRUE(asks(draft, "axis n"));
  EXPECT_TRUE(asks(draft, "launch add"));
  EXPECT_FALSE(asks(draft, "array c")) << "the guard bounds it";
  EXPECT_TRUE(contains(draft.source, "input  a : f32[n]")) << draft.source;
  const Draft answered = drafted(source, {{"n", 5000}});
  EXPECT_FALSE(asks(answered, "axis n"));
  EXPECT_TRUE(contains(answered.source, "axis   n = 5000"));
}

TEST(Draft, WritesAKernelThatInstantiatesATemplate) {
  const Draft draft = drafted(R"(
template <typename T, int WIDTH>
__global__ void __launch_bounds__(WIDTH) scale(const T* __restrict__ x, T* y, int n, T a) {
  int i = blockIdx.x * WIDTH + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
void run(const double* x, double* y, int n) {
  scale<double, 128><<<(n - 1) / 128 + 1, 128>>>(x, y, n, 3.0);
})");
  EXPECT_EQ(draft.kernels, std::vector<std::string>{"scale_double_128"});
  EXPECT_TRUE(
      contains(draft.source, "launch scale_double_128<<<ceil_div(n, 128), 128>>>(x, y, n, a)"))
      << draft.source;
  EXPECT_TRUE(contains(draft.source, "input  x : f64[n]"));
  EXPECT_TRUE(contains(draft.source, "scale<double, 128>(x, y, n, a);"));
}

TEST(Draft, ReadsTwoDimensionsAndBoundsOfIndices) {
  const Draft draft = drafted(R"(
__global__ void transpose(float* out, const float* in, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
}
void run(float* d_out, float* d_in, int rows, int cols) {
  dim3 block(32, 8);
  dim3 grid((cols + block.x - 1) / block.x, (rows + 7) / 8);
  dim3 tiles((cols + 31) / 32, (rows + 7) / 8);
  transpose<<<tiles, block>>>(d_out, d_in, rows, cols);
})");
  EXPECT_TRUE(contains(draft.source, "input  in : f32[cols * rows]")) << draft.source;
  EXPECT_TRUE(contains(draft.source,
                       "launch transpose<<<(ceil_div(cols, 32), ceil_div(rows, 8)), (32, 8)>>>"));
}

TEST(Draft, KeepsSeveralLaunchesAndTheirScratchMemory) {
  const Draft draft = drafted(R"(
__global__ void square(const float* x, float* t, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) t[i] = x[i] * x[i];
}
__global__ void half_of(const float* t, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f * t[i];
}
void run(float* x, float* tmp, float* y, int n) {
  square<<<(n + 127) / 128, 128>>>(x, tmp, n);
  half_of<<<(n + 127) / 128, 128>>>(tmp, y, n);
})");
  EXPECT_TRUE(contains(draft.source, "buffer tmp : f32[n]")) << draft.source;
  EXPECT_TRUE(contains(draft.source, "output y : f32[n]"));
  EXPECT_EQ(draft.kernels.size(), 2u);
}

TEST(Draft, FillsIndexArraysWithIndices) {
  const Draft draft = drafted(R"(
__global__ void gather(const float* table, const int* which, float* out, int n, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[which[i]];
}
void run(float* table, int* which, float* out) {
  const int n = 1000, size = 300;
  cudaMalloc(&table, size * sizeof(float));
  gather<<<(n + 255) / 256, 256>>>(table, which, out, n, size);
})");
  EXPECT_TRUE(contains(draft.source, "input  which : i32[n] ~ int(0, size - 1)")) << draft.source;
}

TEST(Draft, TreatsAtomicTargetsAsReadAndWritten) {
  const Draft draft = drafted(R"(
namespace count {
static __global__ void histogram(const unsigned char* x, unsigned* bins, unsigned long long n) {
  unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i]], 1u);
}
}
void run(unsigned char* x, unsigned* bins, size_t n) {
  cudaMalloc(&bins, 256 * sizeof(unsigned));
  count::histogram<<<(n + 255) / 256, 256>>>(x, bins, n);
})");
  EXPECT_TRUE(contains(draft.source, "inout  bins : u32[256]")) << draft.source;
}

TEST(Draft, ClearsWhatTheFileClears) {
  const Draft draft = drafted(R"(
__global__ void histogram(const unsigned char* x, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i]], 1u);
}
void run(unsigned char* x, unsigned* d_bins, int n) {
  cudaMalloc(&d_bins, 256 * sizeof(unsigned));
  cudaMemset(d_bins, 0, 256 * sizeof(unsigned));
  histogram<<<(n + 255) / 256, 256>>>(x, d_bins, n);
})");
  EXPECT_TRUE(contains(draft.source, "output bins : u32[256]")) << draft.source;
  EXPECT_TRUE(contains(draft.source, "zero   bins\nlaunch histogram"));
}

TEST(Draft, BringsTheHeaderOfHalfTypesThatAHeaderOfTheProjectBrought) {
  const Draft draft = drafted(
      "#include \"kernels.h\"\n"
      R"(
__global__ void widen(const __half* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __half2float(x[i]);
})");
  EXPECT_TRUE(contains(draft.source, "#include <cuda_fp16.h>")) << draft.source;
  EXPECT_TRUE(asks(draft, "header kernels.h"));
}

TEST(Draft, SaysWhatItCannotDraft) {
  const auto text = [](const std::string& source, const std::string& kernel = {}) {
    const auto draft = draft_task({source, "program.cu", kernel, {}});
    return draft ? "no error" : draft.error().text();
  };
  EXPECT_TRUE(contains(text("int main() {}"), "no __global__ function"));
  EXPECT_TRUE(contains(text(kProgram, "gemm"), "called gemm"));
  EXPECT_TRUE(contains(text("/* kernelpro\nlaunch k<<<1, 1>>>()\n*/"), "has a plan already"));
  EXPECT_TRUE(
      contains(text("struct P { int a; };\n__global__ void k(P p, float* y) { y[0] = p.a; }"),
               "nothing that a plan can pass"));
}

TEST(Draft, SurvivesForeignText) {
  for (const std::string source :
       {"__global__", "__global__ void k(", "__global__ void k(float* x) { x[", "k<<<", "<<<>>>",
        "template <",
        "#define N N\n__global__ void k(float* y) { y[0] = N; }\nvoid f() { k<<<N, N>>>(0); }",
        "__global__ void k(float* y, int a) { int i = i + i; y[i] = a; }",
        "int a = b; int b = a; __global__ void k(float* y) { y[0] = 1; } void f() { k<<<a, "
        "b>>>(0); }"}) {
    const auto draft = draft_task({source, "program.cu", "", {}});
    if (!draft) {
      EXPECT_FALSE(draft.error().text().empty());
    }
  }
}

}  // namespace
}  // namespace kp::draft
