// SPDX-License-Identifier: Apache-2.0
// Each kind of fault with its message and line, and right programs that must stay silent.
#include <gmock/gmock-matchers.h>

#include <numeric>

#include "vgpu/machine_fixture.h"

namespace kp::vgpu {
namespace {

using testing::HasSubstr;

class Check : public MachineTest {
 protected:
  Check() : MachineTest("faults") { memory_.set_shadows(true); }
  static RunOptions checked() { return {.mode = Mode::kCheck, .instruction_budget = 2'000'000}; }
  static RunOptions plain() { return {.mode = Mode::kValues, .instruction_budget = 2'000'000}; }

  void expect(const LaunchResult& result, FaultKind kind, const std::string& text) {
    ASSERT_TRUE(result.fault) << "no fault; expected: " << text;
    EXPECT_EQ(result.fault->kind, kind) << result.fault->message;
    EXPECT_THAT(result.fault->message, HasSubstr(text));
    EXPECT_EQ(result.fault->spot.file, "faults.cu");
    EXPECT_GT(result.fault->spot.line, 0);
  }
  void expect_silent(const LaunchResult& result) {
    EXPECT_FALSE(result.fault) << result.fault->message << " at " << to_string(result.fault->spot);
    EXPECT_FALSE(result.out_of_budget);
  }
  void define_first(std::uint64_t address, int n) {
    const auto x = numbers(n);
    memory_.write(address, std::as_bytes(std::span(x)));
  }
  std::vector<int> numbers(int n) {
    std::vector<int> x(static_cast<std::size_t>(n));
    std::iota(x.begin(), x.end(), 0);
    return x;
  }
};

TEST_F(Check, AReadPastTheEndNamesTensorAndDistance) {
  const auto x = tensor("x", std::vector<float>(64)), y = output<float>("y", 64);
  const auto result = launch("past_the_end", grid_of(1, 64), plain(), x, y, 2);
  expect(result, FaultKind::kMemory, "4 bytes past the end of tensor x (256 bytes)");
  EXPECT_THAT(result.fault->message, HasSubstr("reads 4 bytes at 0x7000"));
  EXPECT_EQ(result.fault->kernel, "past_the_end");
  EXPECT_EQ(result.fault->thread[0], 62u);
  EXPECT_EQ(result.fault->spot.line, 7);
}

TEST_F(Check, AReadBeforeTheStartNamesTensorAndDistance) {
  const auto x = tensor("x", std::vector<float>(64)), y = output<float>("y", 64);
  expect(launch("past_the_end", grid_of(1, 64), plain(), x, y, -3), FaultKind::kMemory,
         "12 bytes before the start of tensor x");
}

TEST_F(Check, ANullPointerIsInNoAllocation) {
  const auto y = output<int>("y", 32);
  expect(launch("null_pointer", grid_of(1, 32), plain(), std::uint64_t{0}, y), FaultKind::kMemory,
         "reads 4 bytes at 0x0, which is in no allocation");
}

TEST_F(Check, AMisalignedReadSaysWhatItMustBeAMultipleOf) {
  const auto x = tensor("x", std::vector<int>(64)), y = output<int>("y", 32);
  expect(launch("misaligned", grid_of(1, 32), plain(), x, y), FaultKind::kMisaligned,
         "not a multiple of 4");
}

TEST_F(Check, SharedMemoryHasAnEnd) {
  const auto y = output<int>("y", 32);
  Grid grid = grid_of(1, 32);
  grid.dynamic_shared = 128;
  expect(launch("shared_past_the_end", grid, plain(), y), FaultKind::kMemory,
         "writes 4 bytes at offset 128 of shared memory, which has 128 bytes");
}

TEST_F(Check, LaunchesBeyondTheLimitsOfTheDeviceFail) {
  const auto y = output<int>("y", 32);
  for (Grid grid : {grid_of(0, 32), grid_of(1, 0), grid_of(1, 2048)}) {
    const auto result = launch("null_pointer", grid, plain(), y, y);
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->kind, FaultKind::kOutOfResources);
  }
  Grid grid = grid_of(1, 32);
  grid.dynamic_shared = 300 << 10;
  const auto result = launch("shared_past_the_end", grid, plain(), y);
  ASSERT_TRUE(result.fault);
  EXPECT_THAT(result.fault->message, HasSubstr("bytes of shared memory per block"));
}

TEST_F(Check, AMissingBarrierIsARaceWithBothLines) {
  const auto x = tensor("x", numbers(64)), y = output<int>("y", 64);
  const auto result = launch("missing_barrier", grid_of(1, 64), checked(), x, y);
  expect(result, FaultKind::kRace, "of shared memory while thread");
  EXPECT_THAT(result.fault->message, HasSubstr("faults.cu:"));
  expect_silent(launch("with_barrier", grid_of(3, 64), checked(), x, y));
}

TEST_F(Check, AMissingSyncwarpIsARace) {
  const auto x = tensor("x", numbers(32)), y = output<int>("y", 32);
  expect(launch("missing_syncwarp", grid_of(1, 32), checked(), x, y), FaultKind::kRace,
         "nothing orders the two");
  expect_silent(launch("with_syncwarp", grid_of(2, 32), checked(), x, y));
}

TEST_F(Check, LanesOfOneStoreRaceWhenTheirValuesDiffer) {
  const auto y = output<int>("y", 32);
  expect(launch("one_store_two_values", grid_of(1, 32), checked(), y), FaultKind::kRace,
         "tensor y");
  expect_silent(launch("one_store_same_value", grid_of(1, 32), checked(), y));
}

TEST_F(Check, BytesOfOneWordBelongToDifferentThreads) {
  const auto y = output<unsigned char>("y", 4 * 33);
  expect_silent(launch("neighbour_bytes", grid_of(4, 33), checked(), y));
}

TEST_F(Check, BlocksAreNotOrdered) {
  const auto y = output<int>("y", 32);
  const auto result = launch("blocks_collide", grid_of(3, 32), checked(), y);
  expect(result, FaultKind::kRace, "byte 0 of tensor y while thread (0, 0, 0) of block (0, 0, 0)");
}

TEST_F(Check, ACounterWithoutFenceOrdersNothing) {
  const auto x = tensor("x", numbers(8)), part = output<int>("part", 8), y = output<int>("y", 1),
             count = tensor("count", std::vector<unsigned>{0});
  expect(launch("last_block_without_fence", grid_of(8, 32), checked(), x, part, count, y),
         FaultKind::kRace, "tensor part");
}

TEST_F(Check, ACompareAndSwapLoopMayBeginWithAPlainRead) {
  const auto y = tensor("y", std::vector<float>{0});
  expect_silent(launch("cas_loop", grid_of(3, 64), checked(), y));
  EXPECT_EQ(values<float>(y, 1)[0], 192);
}

TEST_F(Check, AFlagBetweenBlocksOrdersThem) {
  const auto box = output<int>("box", 64), y = output<int>("y", 64);
  const auto flag = tensor("flag", std::vector<int>{0});
  expect_silent(launch("flag_between_blocks", grid_of(2, 64), checked(), box, flag, y));
  EXPECT_EQ(values<int>(y, 64), std::vector<int>(64, 7));
}

TEST_F(Check, UndefinedDataMayNotDecide) {
  const auto x = output<int>("x", 32), y = output<int>("y", 32);
  expect(launch("branch_on_undefined", grid_of(1, 32), checked(), x, y), FaultKind::kUninitialised,
         "nobody wrote");
  expect(launch("undefined_index", grid_of(1, 32), checked(), x, y), FaultKind::kUninitialised,
         "writes to an address made of");
  expect(launch("shared_not_written", grid_of(1, 64), checked(), y), FaultKind::kUninitialised,
         "nobody wrote");
}

TEST_F(Check, UndefinedDataInAnOutputIsFoundByItsBytes) {
  auto x = output<int>("x", 32);
  const auto y = output<int>("y", 32);
  define_first(x, 20);
  expect_silent(launch("undefined_output", grid_of(1, 32), checked(), x, y));
  EXPECT_EQ(memory_.first_undefined(y, 128), y + 80);
  EXPECT_EQ(memory_.first_undefined(y, 80), std::nullopt);
}

TEST_F(Check, UndefinedDataThatIsThrownAwayIsSilent) {
  auto x = output<int>("x", 32);
  const auto y = output<int>("y", 32);
  define_first(x, 20);
  expect_silent(launch("undefined_unused", grid_of(1, 32), checked(), x, y, 20));
  EXPECT_EQ(memory_.first_undefined(y, 128), std::nullopt);
  memory_.poison(y, std::vector<std::byte>(128));
  expect_silent(launch("masked_tail", grid_of(1, 32), checked(), x, y, 20));
  EXPECT_EQ(memory_.first_undefined(y, 128), std::nullopt);
}

TEST_F(Check, BarriersInTwoBranchesNeverComplete) {
  const auto y = output<int>("y", 64);
  const auto result = launch("barrier_in_a_branch", grid_of(1, 64), plain(), y);
  expect(result, FaultKind::kBarrier, "barrier that not all threads reach: 40 of 64 threads wait");
  EXPECT_THAT(result.fault->message, HasSubstr("others at faults.cu:"));
}

TEST_F(Check, ThreadsThatExitedPassABarrierOnlyOutsideOfCheckMode) {
  const auto y = output<int>("y", 64);
  expect_silent(launch("exit_before_barrier", grid_of(1, 64), plain(), y, 50));
  expect(launch("exit_before_barrier", grid_of(1, 64), checked(), y, 50), FaultKind::kBarrier,
         "14 of 64 threads have exited");
}

TEST_F(Check, AShuffleWaitsForItsMembersForEver) {
  const auto y = output<int>("y", 32);
  expect(launch("shuffle_in_a_branch", grid_of(1, 32), plain(), y), FaultKind::kBarrier,
         "warp collective that not all threads reach");
}

TEST_F(Check, AsynchronousCopiesArriveAndAreChecked) {
  const auto x = tensor("x", numbers(128)), y = output<int>("y", 128);
  expect_silent(launch("async_copy", grid_of(1, 32), checked(), x, y));
  EXPECT_EQ(values<int>(y, 128)[5], 122);
  const auto little = tensor("little", numbers(100));
  expect(launch("async_copy", grid_of(1, 32), checked(), little, y), FaultKind::kMemory,
         "past the end of tensor little");
}

TEST_F(Check, ThreadsOfTheHostDoNotChangeTheFault) {
  const auto x = tensor("x", std::vector<float>(64)), y = output<float>("y", 64);
  for (const unsigned threads : {1u, 2u, 4u}) {
    RunOptions options = plain();
    options.threads = threads;
    const auto result = launch("past_the_end", grid_of(64, 64), options, x, y, 1);
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->block[0], 0u);
  }
}

}  // namespace
}  // namespace kp::vgpu
