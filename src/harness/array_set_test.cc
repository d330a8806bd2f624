// SPDX-License-Identifier: Apache-2.0
#include "harness/array_set.h"

#include <set>

#include "harness/device_fixture.h"

namespace kp::harness {
namespace {

constexpr std::uint64_t kZone = 4096;  // bytes
constexpr std::size_t kElements = 4000;

class ArraySetTest : public HardwareTest {
 protected:
  void SetUp() override {
    HardwareTest::SetUp();
    if (IsSkipped()) return;
    task_ = *task_of(kScale);
    candidate_ = *task::make_candidate(task_, kScale, "candidate.cu");
    auto built = builder_->build(task_, candidate_);
    ASSERT_TRUE(built) << built.error().text();
    binary_ = std::get<build::Binary>(*built);
    loaded_ = std::get<std::unique_ptr<device::Loaded>>(*bench_->load(binary_));
    referee_ = *Referee::open(bench_->trusted(), builder_->toolchain(), cache());
  }

  std::unique_ptr<ArraySet> open(std::uint64_t number) {
    auto opened = ArraySet::open({.device = *bench_,
                                  .loaded = *loaded_,
                                  .binary = binary_,
                                  .task = task_,
                                  .candidate = candidate_,
                                  .workload = *task_.with_role(WorkloadRole::kTime)[0],
                                  .red_zone = kZone},
                                 number, *referee_);
    EXPECT_TRUE(opened);
    return std::get<std::unique_ptr<ArraySet>>(*std::move(opened));
  }

  std::vector<double> input(ArraySet& set, std::uint64_t key) {
    set.draw(key);
    EXPECT_TRUE(referee_->fill(set.fillings()));
    return *referee_->read(set.input("x")->address, DType::kF32, 0, kElements);
  }

  Task task_;
  Candidate candidate_;
  build::Binary binary_;
  std::unique_ptr<device::Loaded> loaded_;
  std::unique_ptr<Referee> referee_;
};

TEST_F(ArraySetTest, NoTwoSetsAndNoTwoRoundsHoldTheSameInputs) {
  const auto first = open(0), second = open(1);
  const auto values = input(*first, 5);
  EXPECT_NE(input(*second, 5), values);
  EXPECT_NE(input(*first, 6), values);
  EXPECT_EQ(input(*first, 5), values) << "they can be drawn again, for the expected outputs";
}

TEST_F(ArraySetTest, NoTwoArraysOfAContestShareAStream) {
  std::set<std::uint64_t> streams;
  std::size_t count = 0;
  for (const std::uint64_t number : {0u, 1u, 2u}) {
    const auto set = open(number);
    set->draw(5);
    for (const Filling& filling : set->fillings()) streams.insert(filling.stream), ++count;
  }
  EXPECT_EQ(streams.size(), count);
}

TEST_F(ArraySetTest, InputsAndCanariesAreKeptAndOutputsAreNot) {
  const auto set = open(0);
  set->draw(5);
  int inputs = 0, canaries = 0;
  for (const ArraySet::Kept& kept : set->kept()) {
    (kept.canary ? canaries : inputs) += 1;
    if (!kept.canary) {
      EXPECT_EQ(kept.name, "x");
    }
  }
  EXPECT_EQ(inputs, 1);
  EXPECT_EQ(canaries, 6) << "on either side of x, y and scratch";
  ASSERT_EQ(set->outputs().size(), 1u);
  EXPECT_EQ(set->outputs()[0].bytes, kElements * 4);
  EXPECT_EQ(set->bytes(), 3 * (kElements * 4 + 2 * kZone));
}

TEST_F(ArraySetTest, InputsFromFilesAreTheSameInEveryRoundAndAreKept) {
  const auto folder = TemporaryFolder::make();
  std::vector<float> values(kElements);
  for (std::size_t i = 0; i < kElements; ++i) values[i] = 0.5F * static_cast<float>(i);
  std::string file = "head";
  file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  ASSERT_TRUE(write_file(folder->path() / "x", file));
  for (Workload& workload : task_.workloads)
    workload.data["x"] = {folder->path() / "x", "x", "x", 4, kElements * sizeof(float)};
  const auto first = open(0), second = open(1);
  const std::vector<double> wanted(values.begin(), values.end());
  EXPECT_EQ(input(*first, 5), wanted);
  EXPECT_EQ(input(*second, 6), wanted);
  const Filling kept = first->kept().front().filling;
  EXPECT_EQ(referee_->recall({&kept, 1})->front().different, 0u);
  const float other = 7;
  ASSERT_TRUE(
      bench_->trusted().buffers().write(kept.address + 8, std::as_bytes(std::span(&other, 1))));
  const auto changed = referee_->recall({&kept, 1})->front();
  EXPECT_EQ(changed.different, 1u);
  EXPECT_EQ(changed.first_different, 2u);
  // A reference in double sees the same values in its own type.
  Filling wide = kept;
  wide.storage = DType::kF64;
  const auto room = bench_->trusted().buffers().allocate(kElements * 8, "wide");
  ASSERT_TRUE(room);
  wide.address = *room;
  ASSERT_TRUE(referee_->fill({&wide, 1}));
  EXPECT_EQ(*referee_->read(*room, DType::kF64, 0, kElements), wanted);
}

TEST_F(ArraySetTest, PoisonIsBitsNotANumbersAndPlausibleValuesByTurns) {
  const auto set = open(0);
  std::set<referee::FillKind> kinds;
  for (std::uint64_t key = 1; key <= 3; ++key) {
    set->draw(key);
    ASSERT_NE(set->poison("y"), nullptr);
    kinds.insert(set->poison("y")->kind);
  }
  EXPECT_EQ(kinds, (std::set<referee::FillKind>{referee::kFillBits, referee::kFillNan,
                                                referee::kFillNormal}));
  EXPECT_EQ(set->input("y"), nullptr);
  EXPECT_EQ(set->poison("x"), nullptr);
}

}  // namespace
}  // namespace kp::harness
