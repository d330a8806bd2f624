// SPDX-License-Identifier: Apache-2.0
// A pretended compute-sanitizer around the real replay: what it logs becomes the verdict.
#include <sys/stat.h>

#include "fixture.h"

namespace kp::device::cuda {
namespace {

// Called as `tool --tool NAME --log-file LOG --print-limit N PROGRAM replay FILE`.
constexpr const char* kClean = R"(#!/bin/sh
log=$4; shift 6
"$@" || exit $?
echo "========= ERROR SUMMARY: 0 errors" > "$log"
)";
constexpr const char* kRacy = R"(#!/bin/sh
tool=$2; log=$4; shift 6
"$@"
echo "========= COMPUTE-SANITIZER" > "$log"
[ "$tool" != racecheck ] || cat >> "$log" <<END
========= Error: Race reported between Write access at k(float *)+0x200 in candidate.cu:24
=========     and Read access at k(float *)+0x4c0 in candidate.cu:36 [508 hazards]
=========
END
echo "========= ERROR SUMMARY: 1 error" >> "$log"
)";

class Sanitized : public FakeGpu {
 protected:
  void open_with(const char* script) {
    WorkerSpec spec = fake_spec();
    if (script != nullptr) {
      spec.sanitizer = folder_.path() / "tool";
      ASSERT_TRUE(write_file(spec.sanitizer, script));
      ASSERT_EQ(::chmod(spec.sanitizer.c_str(), 0700), 0);
    }
    auto opened = GpuDevice::open(spec);
    ASSERT_TRUE(opened) << opened.error().text();
    device_ = *std::move(opened);
    from_ = array({1, 2, 3});
    to_ = array({0, 0, 0});
  }
  Result<Mishap> check(const std::string& behaviour) {
    module_ = load(behaviour);
    const BoundStep step = step_of(to_, from_, 3);
    return device_->run(*module_, {.steps = {&step, 1}, .inspect = Inspect::kCheck});
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  std::unique_ptr<Loaded> module_;
  std::uint64_t from_ = 0, to_ = 0;
};

TEST_F(Sanitized, WhatIsCleanAlsoRunsAsEver) {
  open_with(kClean);
  const auto mishap = check("copy");
  ASSERT_TRUE(mishap) << mishap.error().text();
  EXPECT_TRUE(std::holds_alternative<std::monostate>(*mishap));
  EXPECT_EQ(values_at(to_, 3), (std::vector<float>{1, 2, 3}));
}

TEST_F(Sanitized, AFindingIsACrashWithKindKernelAndLine) {
  open_with(kRacy);
  const auto mishap = check("copy");
  ASSERT_TRUE(mishap) << mishap.error().text();
  ASSERT_TRUE(std::holds_alternative<Crashed>(*mishap));
  const Crashed& crashed = std::get<Crashed>(*mishap);
  EXPECT_EQ(crashed.fault, FaultKind::kRace);
  EXPECT_EQ(crashed.kernel, "k");
  EXPECT_EQ(crashed.spot.line, 24);
}

TEST_F(Sanitized, AnAbsentToolIsNoVerdict) {
  open_with(nullptr);
  const auto mishap = check("copy");
  ASSERT_FALSE(mishap);
  EXPECT_EQ(mishap.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(mishap.error().message.find("not on this machine"), std::string::npos);
}

TEST_F(Sanitized, AReplayThatFailsWithoutAFindingIsNoVerdict) {
  open_with(kClean);
  const auto mishap = check("fault 719");
  ASSERT_FALSE(mishap);
  EXPECT_EQ(mishap.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(mishap.error().message.find("memcheck (it ended with status 1"), std::string::npos)
      << mishap.error().message;
}

}  // namespace
}  // namespace kp::device::cuda
