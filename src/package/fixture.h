// SPDX-License-Identifier: Apache-2.0
// Deliveries for the tests of this room: small tasks in two versions, without a run behind them.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "base/child.h"
#include "package/delivery.h"
#include "task/task.h"

namespace kp::package {

inline Delivery delivered(const std::string& task_source, const std::string& optimized,
                          const Bindings& tune = {}) {
  static const TemporaryFolder folder = *TemporaryFolder::make();
  const Path path = folder.path() / "op.cu";
  EXPECT_TRUE(write_file(path, task_source));
  Delivery delivery;
  auto task = task::read_task(path);
  EXPECT_TRUE(task) << task.error().text();
  if (!task) return delivery;
  delivery.name = "op";
  delivery.task = *task;
  const auto axes = axes_of(delivery.task);
  EXPECT_TRUE(axes) << axes.error().text();
  delivery.axes = *axes;
  const auto guard = guard_of(delivery.task, delivery.axes);
  EXPECT_TRUE(guard);
  delivery.guard = *guard;
  delivery.architecture = "sm_90";
  delivery.evidence = {"Exported by KernelPro: a line of evidence."};
  const auto best = task::make_candidate(delivery.task, optimized, "best.cu", tune);
  EXPECT_TRUE(best) << best.error().text();
  const auto original = task::make_candidate(delivery.task, *delivery.task.baseline, "op.cu");
  EXPECT_TRUE(original) << original.error().text();
  if (best) delivery.optimized = *best;
  if (original) delivery.original = *original;
  for (const Workload& workload : delivery.task.workloads)
    delivery.cases.push_back({workload, true});
  return delivery;
}

/// An elementwise task in one launch; the optimised version has a tune parameter and a macro that
/// is called like the axis.
inline Delivery swish() {
  return delivered(R"(/* kernelpro
axis n = 1048576
check n = 1003
input x : f32[n]
output y : f32[n]
launch swish<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void swish(const float* x, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = x[i] / (1 + __expf(-x[i]));
}
)",
                   R"(/* kernelpro
tune BLOCK in 256, 128
launch swish<<<ceil_div(n, BLOCK * 4), BLOCK>>>(x, y, n)
*/
#define n count
#define ceil_div(a, b) (((a) + (b) - 1) / (b))
extern "C" __global__ void swish(const float* x, float* y, int n) {
  for (int k = 0; k < 4; ++k) {
    int i = (blockIdx.x * 4 + k) * BLOCK + threadIdx.x;
    if (i < n) y[i] = x[i] / (1 + __expf(-x[i]));
  }
}
)",
                   {{"BLOCK", 128}});
}

/// Rows with a scalar, a computed axis, buffers, two launches, zeroes, dynamic shared memory.
inline Delivery row_sums() {
  return delivered(R"(/* kernelpro
axis rows = 4096, cols = 512, half = cols / 2
check rows = 64, cols = 128
check rows = 192, cols = 64
input x : f32[rows, cols]
input scale : f32 = 0.5
output y : f32[rows]
launch row_sums<<<rows, 32>>>(x, y, scale, rows, cols)
*/
extern "C" __global__ void row_sums(const float* x, float* y, float scale, int rows, int cols) {
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum += x[(size_t)blockIdx.x * cols + c];
  if (threadIdx.x == 0) y[blockIdx.x] = sum * scale;
}
)",
                   R"(/* kernelpro
buffer part : f32[rows, 2]
buffer flags : i32[rows] = 0
launch halves<<<(2, rows), 64, 60 * 1024>>>(x, part, flags, half, rows)
zero y
launch add<<<ceil_div(rows, 128), 128>>>(part, y, scale, rows, 1.5) cluster(1)
*/
extern "C" __global__ void halves(const float4* x, float* part, int* flags, long long half,
                                  unsigned rows) {}
extern "C" __global__ void add(const float* part, float* y, double scale, int rows, float more) {}
)");
}

/// A TMA descriptor, clusters beyond the portable size, a cooperative launch.
inline Delivery tiles() {
  return delivered(R"(/* kernelpro
axis n = 1024
check n = 128
input x : f32[n, n]
output y : f32[n, n]
launch rows<<<n, 32>>>(x, y, n)
*/
extern "C" __global__ void rows(const float* x, float* y, int n) {}
)",
                   "/* kernelpro\n"
                   "tensormap t = x box(64, 32) swizzle 128B\n"
                   "launch tiles<<<(n / 32, n / 8), 128>>>(t, y, n) cluster(4, 4) cooperative\n"
                   "*/\n"
                   "#include <cuda.h>\n"
                   "extern \"C\" __global__ void tiles(const CUtensorMap t, float* y, int n) {}\n");
}

/// Writes `files` and compiles those that are sources with the fake runtime, and `program` that
/// drives them; returns what it prints.
inline std::string run_with_fake_runtime(const std::vector<File>& files,
                                         const std::string& program) {
  const TemporaryFolder folder = *TemporaryFolder::make();
  std::vector<std::string> command{"g++", "-std=c++17", "-O0",           "-x",
                                   "c++", "-include",   "cuda_runtime.h"};
  const Path fakes = Path(KP_SOURCE_DIR) / "src" / "package" / "testdata";
  for (const std::string header : {"cuda", "cuda_runtime"}) {
    const auto text = read_file(fakes / ("fake_" + header + ".cuh"));
    EXPECT_TRUE(text && write_file(folder.path() / (header + ".h"), *text));
  }
  command.insert(command.end(), {"-I" + fakes.string(), "-I."});
  for (const File& file : files) {
    EXPECT_TRUE(write_file(folder.path() / file.name, file.text));
    if (file.name.ends_with(".cu")) command.push_back(file.name);
  }
  EXPECT_TRUE(write_file(folder.path() / "main.cc", program));
  command.insert(command.end(), {"main.cc", "-o", "program"});
  const auto built = run_child({.command = command, .folder = folder.path()});
  EXPECT_TRUE(built && built->ok()) << (built ? built->error_output : built.error().text());
  if (!built || !built->ok()) return "";
  const auto ran =
      run_child({.command = {(folder.path() / "program").string()}, .folder = folder.path()});
  EXPECT_TRUE(ran && ran->ok()) << (ran ? ran->error_output : ran.error().text());
  return ran ? ran->output : "";
}

}  // namespace kp::package
