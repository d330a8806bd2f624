// SPDX-License-Identifier: Apache-2.0
#include "diagnose/access.h"

#include <gtest/gtest.h>

#include "diagnose/sample_kernel.h"

namespace kp::diagnose {
namespace {

/// A kernel as hardware counts it: no widths, no strides.
SampleKernel counted(double requests, double sectors, double useful) {
  SampleKernel sample;
  sample.forget(metric::kLoadWidth);
  sample.forget(metric::kLoadUnitStride);
  sample.set({{metric::kGlobalLoadRequests, requests},
              {metric::kGlobalLoadSectors, sectors},
              {metric::kLoadBytesPerSector, useful}});
  return sample;
}

TEST(Access, ComesFromExecutionWhereThatWasCounted) {
  const SampleKernel sample;
  EXPECT_EQ(width_of(sample.evidence(), Direction::kLoad), 4);
  EXPECT_EQ(unit_stride_of(sample.evidence(), Direction::kLoad), 100);
}

TEST(Access, FollowsFromSectorsAndUsefulBytesOfHardware) {
  const SampleKernel packed = counted(1e6, 4e6, 32);
  EXPECT_NEAR(*width_of(packed.evidence(), Direction::kLoad), 4, 1e-9);
  EXPECT_EQ(unit_stride_of(packed.evidence(), Direction::kLoad), 100);
  const SampleKernel apart = counted(1e6, 32e6, 4);
  EXPECT_NEAR(*width_of(apart.evidence(), Direction::kLoad), 4, 1e-9);
  EXPECT_EQ(unit_stride_of(apart.evidence(), Direction::kLoad), 0);
  const SampleKernel misaligned = counted(1e6, 5e6, 25.6);
  EXPECT_EQ(unit_stride_of(misaligned.evidence(), Direction::kLoad), 100);
}

TEST(Access, PrefersTheWidthInMachineCode) {
  SampleKernel sample = counted(1e6, 1e6, 4);  // all lanes read one word
  sample.set({{metric::kSassLoadWidth, 4}});
  EXPECT_EQ(width_of(sample.evidence(), Direction::kLoad), 4);
  EXPECT_LT(*unit_stride_of(sample.evidence(), Direction::kLoad), 25);
}

TEST(Access, ReadsZeroUsefulBytesAsUnknown) {
  const SampleKernel copies = counted(1e6, 4e6, 0);
  EXPECT_FALSE(useful_bytes(copies.evidence(), Direction::kLoad));
  EXPECT_FALSE(width_of(copies.evidence(), Direction::kLoad));
  EXPECT_FALSE(unit_stride_of(copies.evidence(), Direction::kLoad));
}

TEST(Access, TakesAWavefrontForEachRequestAndForEachFourSectors) {
  EXPECT_EQ(wavefronts_of(10, 20), 10);
  EXPECT_EQ(wavefronts_of(10, 320), 80);
}

TEST(Access, CountsLoadsOfAThreadByItsWarp) {
  SampleKernel sample;
  sample.set({{metric::kGridSize, 10}, {metric::kBlockSize, 40}, {metric::kGlobalLoadInst, 60}});
  EXPECT_EQ(loads_per_thread(sample.evidence()), 3);
  sample.forget(metric::kGridSize);
  EXPECT_EQ(loads_per_thread(sample.evidence()), 0);
}

TEST(Access, TakesUnknownCountersForNoWavefronts) {
  SampleKernel sample = counted(10, 320, 32);
  EXPECT_EQ(global_wavefronts(sample.evidence(), Direction::kLoad), 80);
  sample.forget(metric::kGlobalLoadSectors);
  EXPECT_EQ(global_wavefronts(sample.evidence(), Direction::kLoad), 10);
}

}  // namespace
}  // namespace kp::diagnose
