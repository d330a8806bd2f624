// SPDX-License-Identifier: Apache-2.0
#include "harness/arena.h"

#include <set>

#include "harness/device_fixture.h"

namespace kp::harness {
namespace {

/// A device's memory that keeps account of its allocations.
class Ledger : public device::Buffers {
 public:
  explicit Ledger(device::Buffers& inner) : inner_(inner) {}
  Result<std::uint64_t> allocate(std::uint64_t bytes, const std::string& name) override {
    KP_TRY(const std::uint64_t address, inner_.allocate(bytes, name));
    live.insert(address);
    return address;
  }
  void release(std::uint64_t address) override {
    inner_.release(address);
    live.erase(address);
  }
  Result<void> write(std::uint64_t address, std::span<const std::byte> bytes) override {
    return inner_.write(address, bytes);
  }
  Result<void> read(std::uint64_t address, std::span<std::byte> bytes) override {
    return inner_.read(address, bytes);
  }
  Result<void> poison(std::uint64_t address, std::span<const std::byte> bytes) override {
    return inner_.poison(address, bytes);
  }
  std::optional<std::uint64_t> first_undefined(std::uint64_t address,
                                               std::uint64_t bytes) override {
    return inner_.first_undefined(address, bytes);
  }

  std::set<std::uint64_t> live;

 private:
  device::Buffers& inner_;
};

class ArenaTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped()) ledger_ = std::make_unique<Ledger>(device_->buffers());
  }
  std::unique_ptr<Ledger> ledger_;
};

TEST_F(ArenaTest, ManySmallArraysShareOneAllocationAndDoNotOverlap) {
  Arena arena(*ledger_);
  std::uint64_t end = 0;
  for (int i = 0; i < 200; ++i) {
    const auto address = arena.allocate(1'000, "a");
    ASSERT_TRUE(address) << address.error().text();
    EXPECT_EQ(*address % 256, 0u);
    EXPECT_GE(*address, end);
    end = *address + 1'000;
  }
  EXPECT_EQ(ledger_->live.size(), 1u);
}

TEST_F(ArenaTest, AnArrayThatNoLongerFitsStartsAnotherAllocation) {
  Arena arena(*ledger_);
  for (int i = 0; i < 11; ++i) {  // of 3 MiB: ten fit into 32 MiB
    const auto address = arena.allocate(3u << 20, "a");
    ASSERT_TRUE(address) << address.error().text();
    const std::byte last{1};
    EXPECT_TRUE(ledger_->write(*address + (3u << 20) - 1, {&last, 1}));
  }
  EXPECT_EQ(ledger_->live.size(), 2u);
}

TEST_F(ArenaTest, ALargeArrayHasAnAllocationOfItsOwnAndTheChunkAtHandGoesOn) {
  Arena arena(*ledger_);
  const auto small = arena.allocate(100, "a"), large = arena.allocate(5u << 20, "b"),
             next = arena.allocate(100, "c");
  ASSERT_TRUE(small && large && next);
  EXPECT_EQ(ledger_->live.count(*large), 1u);
  EXPECT_EQ(*next, *small + 256);
  EXPECT_EQ(ledger_->live.size(), 2u);
}

TEST_F(ArenaTest, MemoryComesBackWithTheArenaAndNotBefore) {
  {
    Arena arena(*ledger_);
    const auto small = arena.allocate(100, "a"), large = arena.allocate(5u << 20, "b");
    ASSERT_TRUE(small && large);
    arena.release(*small);
    arena.release(*large);
    EXPECT_EQ(ledger_->live.size(), 2u);
  }
  EXPECT_TRUE(ledger_->live.empty());
}

}  // namespace
}  // namespace kp::harness
