// SPDX-License-Identifier: Apache-2.0
// A judge that needs no device and no compiler, for tests of this room and benches: a candidate
// takes as long as it says ("// takes 80 ns"), or is wrong when it says nothing.
#pragma once
#include <cstdlib>
#include <string>

#include "loop/judge.h"
#include "task/task.h"

namespace kp::loop {

inline constexpr const char* kFakeTask = R"(/* kernelpro
axis   n = 4000
check  n = 777
input  x : f32[n]
output y : f32[n]
precision f32
launch copy<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
// takes 100 ns
extern "C" __global__ void copy(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
)";

/// The task's kernel, said to take `ns`; different for each `version`.
inline std::string fake_version(double ns, int version) {
  const std::string task = kFakeTask;
  return R"(/* kernelpro
launch copy<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
// takes )" +
         std::to_string(ns) + " ns, version " + std::to_string(version) + "\n" +
         task.substr(task.find("extern"));
}

inline Result<Task> fake_task(const Path& folder) {
  KP_TRY_VOID(write_file(folder / "copy.cu", kFakeTask));
  return task::read_task(folder / "copy.cu");
}

class FakeJudge final : public Judge {
 public:
  explicit FakeJudge(const Task& task) : task_(task) { device_.name = "fake"; }
  const Task& task() const override { return task_; }
  const device::Description& device() const override { return device_; }

  Result<Judged> judge(const Candidate& candidate, Depth depth,
                       const diagnose::TrackRecord&) override {
    ++judged;
    const std::string mark = "// takes ";
    const auto at = candidate.source.find(mark);
    if (at == std::string::npos) {
      return Judged{Evaluation{WrongAnswer{}, depth, device_.name, 0, {}}, std::nullopt};
    }
    Measured measured;
    measured.nanoseconds = std::strtod(candidate.source.c_str() + at + mark.size(), nullptr);
    return Judged{Evaluation{measured, depth, device_.name, 0, {}}, Diagnosis{}};
  }
  Result<std::optional<FullProfile>> look_into(const Candidate&,
                                               const diagnose::TrackRecord&) override {
    return std::optional<FullProfile>{};
  }
  int judged = 0;

 private:
  const Task& task_;
  device::Description device_;
};

}  // namespace kp::loop
