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

std::string program(const std::string& file) {
  const auto text = read_file(Path(KP_SOURCE_DIR) / "src/package/testdata" / file);
  EXPECT_TRUE(text);
  return text.value_or("");
}

TEST(Library, launches_what_the_plan_says_and_falls_back_outside_of_what_was_verified) {
  EXPECT_EQ(run_with_fake_runtime(library_of(swish()), program("swish_program.cu")),
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
  const std::string launches =
      "halves<<<(2, 64, 1), (64, 1, 1), 61440>>> part+0 flags+512 half=64 rows=64\n"
      "zero 256 bytes\n"
      "add<<<(1, 1, 1), (128, 1, 1), 0>>> part+0 scale=0.5 rows=64 more=1.5\n"
      "status 0\n";
  EXPECT_EQ(run_with_fake_runtime(library_of(row_sums()), program("row_sums_program.cu")),
            "workspace 768\n"
            "zero 256 bytes\n"
            "attribute 8 = 61440\n" +
                launches + "zero 256 bytes\n" + launches +
                "status 1\n"
                "row_sums<<<(64, 1, 1), (32, 1, 1), 0>>> scale=0.25 cols=128\nstatus 0\n"
                "row_sums<<<(64, 1, 1), (32, 1, 1), 0>>> scale=0.5 cols=96\nstatus 0\n");
}

TEST(Library, encodes_descriptors_and_asks_for_clusters) {
  const std::string map = "map type 0 swizzle 1: 256 by 1024 box 32 256 by 262144 box 64\n";
  EXPECT_EQ(run_with_fake_runtime(library_of(tiles()), program("tiles_program.cu")),
            map +
                "attribute 13 = 1\n"
                "tiles<<<(8, 32, 1), (128, 1, 1), 0>>> attribute 4 (4) attribute 2 (1) n=256\n"
                "status 0\n"
                "map type 0 swizzle 1: 128 by 512 box 32 128 by 65536 box 64\n"
                "attribute 13 = 1\n"
                "tiles<<<(4, 16, 1), (128, 1, 1), 0>>> attribute 4 (4) attribute 2 (1) n=128\n"
                "status 0\n"
                "rows<<<(320, 1, 1), (32, 1, 1), 0>>> n=320\nstatus 0\n");
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
