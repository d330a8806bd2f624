// SPDX-License-Identifier: Apache-2.0
#include "package/library.h"

#include "package/fixture.h"

namespace kp::package {
namespace {

std::vector<File> library_of(const Delivery& delivery) {
  auto files = write_library(delivery);
  EXPECT_TRUE(files) << files.error().text();
  return files ? *std::move(files) : std::vector<File>{};
}

TEST(Library, launches_what_the_plan_says_and_falls_back_outside_of_what_was_verified) {
  const std::string program = R"(
#include "op.h"
#include "program.h"
extern "C" void op_optimized_swish(const float*, float*, int);
extern "C" void op_original_swish(const float*, float*, int);
void print(void** a) {
  std::printf(" x+%td y+%td n=%d", argument<const float*>(a, 0) - (const float*)4096,
              argument<float*>(a, 1) - (float*)8192, argument<int>(a, 2));
}
void call(std::int64_t n, std::ptrdiff_t offset) {
  const int status =
      kernelpro::op::launch((const float*)4096 + offset, (float*)8192, n, nullptr, nullptr);
  if (status != 0) std::printf("n=%lld: error %d\n", (long long)n, status);
}
int main() {
  kernels()[(const void*)op_optimized_swish] = {"optimized", print};
  kernels()[(const void*)op_original_swish] = {"original", print};
  call(1003, 0);
  call(1048576, 0);
  call(5000, 4);
  call(5000, 1);
  call(1002, 0);
  call(1048577, 0);
  call(0, 0);
  call(1ll << 33, 0);
  std::printf("workspace %lld %lld\n", (long long)kernelpro::op::workspace_bytes(1003),
              (long long)kernelpro::op::workspace_bytes(0));
}
)";
  EXPECT_EQ(run_with_fake_runtime(library_of(swish()), program),
            "optimized<<<(2, 1, 1), (128, 1, 1), 0>>> x+0 y+0 n=1003\n"
            "optimized<<<(2048, 1, 1), (128, 1, 1), 0>>> x+0 y+0 n=1048576\n"
            "optimized<<<(10, 1, 1), (128, 1, 1), 0>>> x+4 y+0 n=5000\n"
            "original<<<(20, 1, 1), (256, 1, 1), 0>>> x+1 y+0 n=5000\n"
            "original<<<(4, 1, 1), (256, 1, 1), 0>>> x+0 y+0 n=1002\n"
            "original<<<(4097, 1, 1), (256, 1, 1), 0>>> x+0 y+0 n=1048577\n"
            "n=0: error 1\n"
            "n=8589934592: error 1\n"
            "workspace 0 -1\n");
}

TEST(Library, places_buffers_clears_them_and_asks_for_shared_memory_once) {
  const std::string program = R"(
#include "op.h"
#include "program.h"
extern "C" void op_optimized_halves(const float4*, float*, int*, long long, unsigned);
extern "C" void op_optimized_add(const float*, float*, double, int, float);
extern "C" void op_original_row_sums(const float*, float*, float, int, int);
char* const memory = (char*)65536;
void halves(void** a) {
  std::printf(" part+%td flags+%td half=%lld rows=%u", (char*)argument<float*>(a, 1) - memory,
              (char*)argument<int*>(a, 2) - memory, argument<long long>(a, 3),
              argument<unsigned>(a, 4));
}
void add(void** a) {
  std::printf(" part+%td scale=%g rows=%d more=%g", (char*)argument<float*>(a, 0) - memory,
              argument<double>(a, 2), argument<int>(a, 3), argument<float>(a, 4));
}
void row_sums(void** a) { std::printf(" scale=%g cols=%d", argument<float>(a, 2), argument<int>(a, 4)); }
void call(float scale, std::int64_t rows, std::int64_t cols, void* workspace) {
  const int status = kernelpro::op::launch((const float*)4096, scale, (float*)8192, rows, cols,
                                           workspace, nullptr);
  std::printf("status %d\n", status);
}
int main() {
  kernels()[(const void*)op_optimized_halves] = {"halves", halves};
  kernels()[(const void*)op_optimized_add] = {"add", add};
  kernels()[(const void*)op_original_row_sums] = {"row_sums", row_sums};
  std::printf("workspace %lld\n", (long long)kernelpro::op::workspace_bytes(64, 128));
  call(0.5f, 64, 128, memory);
  call(0.5f, 64, 128, memory);
  call(0.5f, 64, 128, nullptr);
  call(0.25f, 64, 128, memory);
  call(0.5f, 64, 96, memory);
}
)";
  const std::string launches =
      "halves<<<(2, 64, 1), (64, 1, 1), 61440>>> part+0 flags+512 half=64 rows=64\n"
      "zero 256 bytes\n"
      "add<<<(1, 1, 1), (128, 1, 1), 0>>> part+0 scale=0.5 rows=64 more=1.5\n"
      "status 0\n";
  EXPECT_EQ(run_with_fake_runtime(library_of(row_sums()), program),
            "workspace 768\n"
            "zero 256 bytes\n"
            "attribute 8 = 61440\n" +
                launches + "zero 256 bytes\n" + launches +
                "status 1\n"
                "row_sums<<<(64, 1, 1), (32, 1, 1), 0>>> scale=0.25 cols=128\nstatus 0\n"
                "row_sums<<<(64, 1, 1), (32, 1, 1), 0>>> scale=0.5 cols=96\nstatus 0\n");
}

TEST(Library, refuses_a_source_that_asks_which_compiler_reads_it) {
  Delivery delivery = swish();
  delivery.optimized.source += "#if !defined(\\\n__CUDACC_RTC__)\nint hidden();\n#endif\n";
  const auto files = write_library(delivery);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(files.error().text().find("best.cu:13"), std::string::npos) << files.error().text();
}

}  // namespace
}  // namespace kp::package
