// SPDX-License-Identifier: Apache-2.0
// Every way to be wrong that tests/kernels knows, through the whole harness on the virtual GPU.
#include <gtest/gtest.h>

#include "base/child.h"
#include "harness/device_fixture.h"
#include "harness/harness.h"
#include "task/task.h"

namespace kp::harness {
namespace {

Path kernels() { return Path(KP_SOURCE_DIR) / "tests/kernels"; }

class BadKernelsTest : public DeviceTest {
 protected:
  void open(std::optional<std::uint64_t> red_zone = {}) {
    auto task = task::read_task(kernels() / "reverse.cu");
    ASSERT_TRUE(task.has_value()) << task.error().text();
    auto harness =
        Harness::open(*task, *device_, *builder_,
                      {.cache = cache(), .instruction_budget = 1u << 20, .red_zone = red_zone});
    ASSERT_TRUE(harness.has_value()) << harness.error().text();
    harness_.emplace(*std::move(harness));
  }

  /// "rule or fault or gate: text" of one kernel.
  std::string verdict(const std::string& name, Depth depth = Depth::kQuick) {
    if (!harness_) open();
    const auto source = read_text(kernels() / (name + ".cu"));
    EXPECT_TRUE(source.has_value());
    auto candidate = task::make_candidate(harness_->task(), *source, name + ".cu");
    if (!candidate) return "plan: " + candidate.error().text();
    const auto evaluation = harness_->evaluate(*candidate, depth);
    if (!evaluation) return "error: " + evaluation.error().text();
    return std::visit([](const auto& outcome) { return spell(outcome); }, evaluation->outcome);
  }

  static std::string spell(const BuildFailed& bad) { return "build: " + bad.log; }
  static std::string spell(const Rejected& bad) { return bad.rule + ": " + bad.reason; }
  static std::string spell(const Crashed& bad) {
    return std::string(name_of(bad.fault)) + ": " + bad.message + " at " + to_string(bad.spot);
  }
  static std::string spell(const TimedOut& bad) {
    return "timed out in " + bad.phase + ": " + bad.detail;
  }
  static std::string spell(const WrongAnswer& bad) { return bad.gate + ": " + bad.message; }
  static std::string spell(const Measured& good) {
    return good.nanoseconds > 0 && !good.profile.kernels.empty() ? "measured" : "measured nothing";
  }

  void expect(const std::string& name, const std::vector<std::string>& parts,
              Depth depth = Depth::kQuick) {
    const std::string text = verdict(name, depth);
    for (const std::string& part : parts)
      EXPECT_NE(text.find(part), std::string::npos)
          << name << ": no \"" << part << "\" in: " << text;
  }

  std::optional<Harness> harness_;
};

TEST_F(BadKernelsTest, HonestKernelsAreMeasured) {
  EXPECT_EQ(verdict("reverse"), "measured");
  EXPECT_EQ(verdict("two_steps"), "measured");
  EXPECT_EQ(verdict("reverse", Depth::kFinal), "measured");
  EXPECT_EQ(verdict("two_steps", Depth::kFinal), "measured");
}

TEST_F(BadKernelsTest, AnEndlessLoopRunsOutOfItsBudget) {
  expect("endless_loop", {"timed out in check", "reverse"});
}

TEST_F(BadKernelsTest, OutOfBoundsAccessesNameTheArrayAndTheLine) {
  expect("out_of_bounds", {"memory", "past the end of", "x", "out_of_bounds.cu:9"});
  expect("writes_before_output", {"memory", "y", "writes_before_output.cu:10"});
}

TEST_F(BadKernelsTest, WithoutBoundsChecksTheCanariesNotice) {
  open(4096);
  expect("writes_before_output", {"canary: ", "`y`"});
}

TEST_F(BadKernelsTest, RacesShow) { expect("race", {"race: ", "race.cu"}); }

TEST_F(BadKernelsTest, WrongValuesNameElementInputsAndGate) {
  expect("nan_output", {"special-values: y[", "nan", "inputs `contract`"});
  expect("clamps_large", {"y[", "inputs `large`"});
  expect("flushes_small", {"y[", "inputs `tiny`"});
  expect("ignores_nan", {"special-values: y[", "inputs `special`"});
  expect("half_inside", {"centred-l2: y[", "inputs `contract`"});
}

TEST_F(BadKernelsTest, OutputsMustBeWrittenCompletely) {
  expect("unwritten_tail", {"unwritten: y[", "is never written"});
}

TEST_F(BadKernelsTest, InputsMustStayAsTheyAre) {
  expect("writes_input", {"input-written: ", "`x`"});
}

TEST_F(BadKernelsTest, ImpossibleLaunchesAreExplained) {
  expect("zero_grid", {"grid", "zero_grid.cu"});
  expect("huge_grid", {"grid", "huge_grid.cu"});
  expect("huge_shared", {"shared"});
}

TEST_F(BadKernelsTest, UninitialisedScratchIsFound) {
  const std::string quick = verdict("uninitialised");
  EXPECT_NE(quick, "measured");
}

TEST_F(BadKernelsTest, ADivergentBarrierIsFound) {
  const std::string text = verdict("divergent_barrier", Depth::kFinal);
  EXPECT_NE(text.find("barrier"), std::string::npos) << text;
}

TEST_F(BadKernelsTest, ResultsThatDependOnTheScheduleFail) {
  expect("order_dependent", {"determinism: ", "changes with the schedule"});
}

TEST_F(BadKernelsTest, LessTimeThanTheBytesNeedIsRejected) {
  expect("only_when_small", {"byte-floor: ", "work is left out"});
}

}  // namespace
}  // namespace kp::harness
