// SPDX-License-Identifier: Apache-2.0
// What `kernelpro check` says of each planted fault, and that right kernels pass it. All are
// candidates of the task that reverse.cu declares.
#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/device_fixture.h"
#include "harness/harness.h"
#include "task/task.h"

namespace kp::harness {
namespace {

class Checks : public DeviceTest {
 protected:
  static Path kernels() { return Path(KP_SOURCE_DIR) / "tests/kernels"; }

  void SetUp() override {
    ::setenv("KERNELPRO_LIBEXEC", KP_WORKER, 0);
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    auto task = task::read_task(kernels() / "reverse.cu");
    ASSERT_TRUE(task.has_value()) << task.error().text();
    auto harness = Harness::open(*task, *device_, *builder_,
                                 {.cache = cache(), .instruction_budget = 1u << 20});
    ASSERT_TRUE(harness.has_value()) << harness.error().text();
    harness_.emplace(*std::move(harness));
  }

  /// "fault kind: message at place", or "clean".
  std::string verdict(const std::string& name) {
    const auto source = read_text(kernels() / (name + ".cu"));
    if (!source) return source.error().text();
    const auto candidate =
        task::make_candidate(harness_->task(), *source, Path(name).filename().string() + ".cu");
    if (!candidate) return "plan: " + candidate.error().text();
    const auto outcome = harness_->check(*candidate);
    if (!outcome) return "error: " + outcome.error().text();
    if (!*outcome) return "clean";
    if (const auto* fault = std::get_if<Crashed>(&**outcome))
      return std::string(name_of(fault->fault)) + ": " + fault->message + " at " +
             to_string(fault->spot);
    if (const auto* wrong = std::get_if<WrongAnswer>(&**outcome))
      return wrong->gate + ": " + wrong->message;
    if (const auto* late = std::get_if<TimedOut>(&**outcome)) return "timed out: " + late->detail;
    if (const auto* refused = std::get_if<BuildFailed>(&**outcome)) return refused->log;
    if (const auto* refused = std::get_if<Rejected>(&**outcome)) return refused->reason;
    return "something else";
  }

  void expect(const std::string& name, const std::vector<std::string>& parts) {
    const std::string text = verdict(name);
    for (const std::string& part : parts)
      EXPECT_NE(text.find(part), std::string::npos)
          << name << ": no \"" << part << "\" in: " << text;
  }

  std::optional<Harness> harness_;
};

TEST_F(Checks, NameEachPlantedFaultAndItsLine) {
  expect("out_of_bounds", {"memory: ", "past the end of", "out_of_bounds.cu:9"});
  expect("faults/shared_out_of_bounds", {"memory: ", "of shared memory", "bounds.cu:"});
  expect("faults/local_out_of_bounds", {"memory: ", "of local memory", "bounds.cu:"});
  expect("faults/misaligned", {"misaligned: ", "multiple of 8", "misaligned.cu:"});
  expect("faults/global_race", {"race: ", "nothing orders the two", "global_race.cu:"});
  expect("race", {"race: ", "shared memory", "race.cu:"});
  expect("faults/missing_syncwarp", {"race: ", "missing_syncwarp.cu:"});
  expect("faults/uninitialised_branch", {"uninitialised: ", "branches on", "branch.cu:"});
  expect("faults/uninitialised_index", {"uninitialised: ", "address", "index.cu:"});
  expect("faults/unwaited_copy", {"y[", "never"});
  expect("faults/trap", {"trap: ", "trap.cu:"});
  expect("faults/stack_overflow", {"memory: ", "overflows the stack", "overflow.cu:"});
  expect("faults/bad_pointer", {"calls through a pointer", "pointer.cu:"});
  expect("divergent_barrier", {"barrier: ", "divergent_barrier.cu:"});
  expect("endless_loop", {"timed out: "});
}

TEST_F(Checks, AreSilentOnRightKernels) {
  for (const char* name : {"reverse", "two_steps", "clean/named_barriers", "clean/warp_synchronous",
                           "clean/padded_tile", "clean/ticket_counter", "clean/waited_copies"})
    EXPECT_EQ(verdict(name), "clean") << name;
}

}  // namespace
}  // namespace kp::harness
