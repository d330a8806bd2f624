// SPDX-License-Identifier: Apache-2.0
#include "vgpu/alu/alu.h"

#include <gtest/gtest.h>

#include "vgpu/alu/warp_fixture.h"

namespace kp::vgpu {
namespace {

using testing::apply;
using testing::apply_f32;
using testing::apply_f64;
using testing::Warp;

constexpr const char* kSimpleForms[] = {"mov.u32",
                                        "mov.f64",
                                        "mov.pred",
                                        "add.s32",
                                        "add.s64",
                                        "add.rn.f32",
                                        "mul.lo.s32",
                                        "mul.wide.s32",
                                        "mad.lo.s32",
                                        "fma.rn.f32",
                                        "fma.rn.ftz.f32",
                                        "setp.ge.s32",
                                        "setp.gtu.ftz.f32",
                                        "selp.f32",
                                        "shl.b32",
                                        "shr.u32",
                                        "and.pred",
                                        "cvt.rn.f32.s32",
                                        "cvt.s64.s32",
                                        "cvt.rni.s32.f32",
                                        "cvt.rn.f16.f32",
                                        "cvt.f32.f16",
                                        "cvt.rn.bf16.f32",
                                        "cvt.rn.f16x2.f32",
                                        "cvt.rzi.f32.f32",
                                        "cvt.sat.f32.f32",
                                        "ex2.approx.ftz.f32",
                                        "rcp.approx.ftz.f32",
                                        "div.rn.f32",
                                        "div.approx.f32",
                                        "sqrt.rn.f64",
                                        "rsqrt.approx.f32",
                                        "shfl.sync.down.b32",
                                        "redux.sync.max.s32",
                                        "vote.sync.ballot.b32",
                                        "match.any.sync.b32",
                                        "activemask.b32",
                                        "bfind.shiftamt.u32",
                                        "brev.b32",
                                        "bfi.b64",
                                        "copysign.f32",
                                        "tanh.approx.f32",
                                        "fma.rz.ftz.f32",
                                        "add.rz.f32",
                                        "neg.ftz.f32"};

TEST(Alu, KnowsTheFormsOfSimpleKernels) {
  for (const char* form : kSimpleForms) EXPECT_TRUE(Warp(form).known()) << form;
  EXPECT_FALSE(Warp("add.f128").known());
  EXPECT_FALSE(Warp("wgmma.fence.sync.aligned").known());
}

TEST(Alu, LeavesInactiveLanesUnchanged) {
  for (const std::uint32_t active :
       {0U, 1U, 0x8000'0000U, 0x5555'5555U, 0x0f0f'00ffU, 0xffff'fffeU}) {
    Warp warp("add.s32");
    warp.fill(0, 77);
    for (unsigned lane = 0; lane < kLanes; ++lane) warp.set(2, lane, lane);
    warp.fill(3, 1000);
    warp.run(active);
    for (unsigned lane = 0; lane < kLanes; ++lane)
      EXPECT_EQ(warp.get(0, lane), (active >> lane & 1) != 0 ? lane + 1000 : 77U) << lane;
  }
}

TEST(Alu, AddsAndFusesInSinglePrecision) {
  EXPECT_EQ(apply_f32("add.f32", {1.5F, 2.25F}), 3.75F);
  EXPECT_EQ(apply_f32("fma.rn.f32", {0x1.000002p0F, 0x1.000002p0F, -0x1.000004p0F}), 0x1p-46F);
  EXPECT_EQ(
      apply_f64("fma.rn.f64", {0x1.0000000000001p0, 0x1.0000000000001p0, -0x1.0000000000002p0}),
      0x1p-104);
  EXPECT_EQ(apply("add.f32", {0x7f80'0000, 0xff80'0000}), 0x7fff'ffffU);
}

TEST(Alu, ComparesIntoBothPredicates) {
  Warp warp("setp.lt.and.s32");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    warp.set(2, lane, lane);
    warp.set(4, lane, lane % 2);
  }
  warp.fill(3, 16);
  warp.run();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(warp.get(0, lane), lane < 16 && lane % 2 == 1 ? 1U : 0U);
    EXPECT_EQ(warp.get(1, lane), lane >= 16 && lane % 2 == 1 ? 1U : 0U);
  }
}

}  // namespace
}  // namespace kp::vgpu
