// SPDX-License-Identifier: Apache-2.0
#include "profile/sass_census.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "profile/sass_opcodes.h"

namespace kp::profile {
namespace {

MetricSet census_of(const std::string& kernel, const std::string& file = "nvdisasm.txt") {
  const auto text = read_file(Path(KP_SOURCE_DIR "/src/profile/testdata/sass") / file);
  const auto functions = read_sass(*text);
  MetricSet metrics;
  add_census(*find_function(*functions, kernel), metrics);
  return metrics;
}
/// Of a kernel with these instructions and nothing else.
MetricSet census_of_lines(const std::vector<std::string>& lines) {
  SassFunction function;
  for (const std::string& line : lines) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    function.code.push_back({.address = function.code.size() * 16,
                             .opcode = line.substr(0, blank),
                             .operands = line.substr(std::min(blank + 1, line.size()))});
  }
  MetricSet metrics;
  add_census(function, metrics);
  return metrics;
}

TEST(Census, CountsTheInnermostLoopsOfAMatrixProduct) {
  const MetricSet metrics = census_of("matmul");
  EXPECT_EQ(metrics.get(metric::kSassInst), 199);
  EXPECT_EQ(metrics.get(metric::kSassInnerInst), 108) << "the unrolled loop and its two remainders";
  EXPECT_EQ(metrics.get(metric::kSassInnerFma), 21);
  EXPECT_EQ(metrics.get(metric::kSassInnerInteger), 31);
  EXPECT_EQ(metrics.get(metric::kSassLoadWidth), 4);
  EXPECT_FALSE(metrics.get(metric::kSassStoreWidth)) << "no store in the loops: unknown, not 0";
  EXPECT_EQ(metrics.get(metric::kSassMmaWarp), 0);
  EXPECT_EQ(metrics.find(metric::kSassInst.name)->grade, Grade::kStatic);
}

TEST(Census, SeesMatrixInstructions) {
  const MetricSet metrics = census_of("tensor");
  EXPECT_EQ(metrics.get(metric::kSassMmaWarp), 10);
  EXPECT_EQ(metrics.get(metric::kSassMmaWarpgroup), 0);
  EXPECT_EQ(metrics.get(metric::kSassInnerFma), 0);
}

TEST(Census, SeesMatrixInstructionsOfWarpGroups) {
  const MetricSet metrics = census_of("calibrate_bf16", "hgmma.txt");
  EXPECT_EQ(metrics.get(metric::kSassMmaWarpgroup), 8);
  EXPECT_EQ(metrics.get(metric::kSassMmaWarp), 0);
}

TEST(Census, TellsSlowPathsFromTheKernelItself) {
  const MetricSet metrics = census_of("strided");
  EXPECT_EQ(metrics.get(metric::kSassCalls), 1);
  EXPECT_EQ(metrics.get(metric::kSassInst), 129);
  EXPECT_EQ(metrics.get(metric::kSassInnerInst), 50) << "no loop: the whole kernel, no subroutine";
  EXPECT_EQ(metrics.get(metric::kSassInnerXu), 1);
  EXPECT_EQ(metrics.get(metric::kSassInnerConversion), 2);
  EXPECT_EQ(metrics.get(metric::kSassStoreWidth), 4);
}

TEST(Census, SeesBarriers) { EXPECT_EQ(census_of("conflict").get(metric::kSassInnerBarrier), 1); }

TEST(Census, KnowsTheGenerationsOfMatrixInstructionsAndCopies) {
  // Names from NVIDIA's "CUDA Binary Utilities", not from a recording.
  const MetricSet metrics = census_of_lines(
      {"HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4].tnspB, RZ, !UPT", "UTMALDG.3D [UR8], [UR4]",
       "UBLKCP.S.G [UR4], [UR6], UR8", "LDGSTS.E.BYPASS.LTC128B.128 [R3], desc[UR4][R4.64]",
       "WARPGROUP.DEPBAR.LE gsb0, 0x0", "IMMA.16832.S8.S8 R4, R8, R12, R4", "EXIT"});
  EXPECT_EQ(metrics.get(metric::kSassMmaWarpgroup), 1);
  EXPECT_EQ(metrics.get(metric::kSassMmaWarp), 1);
  EXPECT_EQ(metrics.get(metric::kSassTma), 2);
  EXPECT_EQ(metrics.get(metric::kSassAsyncCopy), 1);
  EXPECT_EQ(metrics.get(metric::kSassLoadWidth), 16);
}

TEST(Census, MeansOfWidths) {
  const MetricSet metrics =
      census_of_lines({"LDG.E.128 R4, [R2.64]", "LDG.E.U16.CONSTANT R4, [R2.64]", "STG.E.64 R2, R4",
                       "STL [R1], R2", "LDL.64 R2, [R1]", "EXIT"});
  EXPECT_EQ(metrics.get(metric::kSassLoadWidth), 9);
  EXPECT_EQ(metrics.get(metric::kSassStoreWidth), 8);
  EXPECT_EQ(metrics.get(metric::kSassLocal), 2);
  EXPECT_EQ(metrics.get(metric::kSassInnerLocal), 2);
}

TEST(Census, MovesThatAreWrittenAsArithmeticAreMoves) {
  const MetricSet metrics = census_of_lines(
      {"IMAD.MOV.U32 R3, RZ, RZ, R2", "IMAD.U32 R3, RZ, RZ, UR4", "HFMA2.MMA R3, -RZ, RZ, 0, 0",
       "HADD2.F32 R4, -RZ, R2.H0_H0", "IMAD R3, R3, R4, R5", "HFMA2 R3, R4, R5, R6",
       "DFMA R2, R2, "
       "R4, R6"});
  EXPECT_EQ(metrics.get(metric::kSassInnerInteger), 1);
  EXPECT_EQ(metrics.get(metric::kSassInnerFma), 2);
  EXPECT_EQ(metrics.get(metric::kSassInnerConversion), 1);
  EXPECT_EQ(metrics.get(metric::kSassInnerFp64), 1);
}

TEST(Census, LeavesWhatIsKnownAlready) {
  const auto text = read_file(Path(KP_SOURCE_DIR "/src/profile/testdata/sass/nvdisasm.txt"));
  MetricSet metrics;
  metrics.set(metric::kSassInst, 7, Grade::kStatic);
  add_census(read_sass(*text)->front(), metrics);
  EXPECT_EQ(metrics.get(metric::kSassInst), 7);
}

TEST(Opcodes, AllOfRecordedKernelsAreKnown) {
  for (const char* file : {"nvdisasm.txt", "cuobjdump.txt", "hgmma.txt"}) {
    const auto text = read_file(Path(KP_SOURCE_DIR "/src/profile/testdata/sass") / file);
    const auto functions = read_sass(*text);
    for (const SassFunction& function : *functions) {
      for (const SassInstruction& instruction : function.code)
        EXPECT_NE(class_of(instruction), SassClass::kOther) << instruction.opcode;
    }
  }
}

}  // namespace
}  // namespace kp::profile
