// SPDX-License-Identifier: Apache-2.0
#include "harness/referee.h"

#include <cmath>

#include "base/random.h"
#include "harness/convert.h"
#include "harness/device_fixture.h"

namespace kp::harness {
namespace {

class RefereeTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    auto referee = Referee::open(*device_, builder_->toolchain(), cache());
    ASSERT_TRUE(referee) << referee.error().text();
    referee_ = *std::move(referee);
  }

  std::uint64_t allocate(std::uint64_t bytes) { return *device_->buffers().allocate(bytes, "a"); }

  std::vector<double> filled(Filling filling) {
    filling.address = allocate(filling.count * 8);
    EXPECT_TRUE(referee_->fill({&filling, 1}));
    return *referee_->read(filling.address, filling.storage.value_or(filling.dtype), 0,
                           filling.count);
  }

  std::uint64_t put(DType dtype, const std::vector<double>& values) {
    std::vector<std::byte> bytes(values.size() * size_of(dtype));
    encode(dtype, values, bytes);
    const std::uint64_t address = allocate(bytes.size());
    EXPECT_TRUE(device_->buffers().write(address, bytes));
    return address;
  }

  std::unique_ptr<Referee> referee_;
};

constexpr DType kFloats[] = {DType::kF64,  DType::kF32,    DType::kF16,
                             DType::kBf16, DType::kF8E4M3, DType::kF8E5M2};
constexpr DType kIntegers[] = {DType::kI64, DType::kI32, DType::kI16, DType::kI8,  DType::kU64,
                               DType::kU32, DType::kU16, DType::kU8,  DType::kBool};

TEST_F(RefereeTest, DrawsNormalNumbersOfEveryType) {
  for (const DType dtype : kFloats) {
    const auto values = filled({.count = 20'000, .dtype = dtype, .kind = referee::kFillNormal});
    double sum = 0, squares = 0, most = 0;
    for (const double value : values) {
      sum += value, squares += value * value, most = std::max(most, std::fabs(value));
      EXPECT_EQ(value, rounded(dtype, value));
    }
    EXPECT_NEAR(sum / 20'000, 0, 0.03) << name_of(dtype);
    EXPECT_NEAR(squares / 20'000, 1, 0.04) << name_of(dtype);
    EXPECT_GT(most, 3) << name_of(dtype);
  }
}

TEST_F(RefereeTest, DrawsIntervalsAndWholeNumbersWithinTheirBounds) {
  const auto uniform =
      filled({.count = 5000, .kind = referee::kFillUniform, .low = -2, .high = 6, .key = 3});
  EXPECT_GE(*std::min_element(uniform.begin(), uniform.end()), -2);
  EXPECT_LE(*std::max_element(uniform.begin(), uniform.end()), 6);
  for (const DType dtype : kIntegers) {
    const bool is_bool = dtype == DType::kBool;
    const double low = is_signed_integer(dtype) ? -3 : 0, high = is_bool ? 1 : 5;
    const auto values = filled(
        {.count = 3000, .dtype = dtype, .kind = referee::kFillInteger, .low = low, .high = high});
    EXPECT_EQ(*std::min_element(values.begin(), values.end()), low) << name_of(dtype);
    EXPECT_EQ(*std::max_element(values.begin(), values.end()), high) << name_of(dtype);
  }
}

TEST_F(RefereeTest, DrawsValuesThatHaveAForm) {
  using Form = Structure::Form;
  const Filling plain{.count = 2 * 30 * 30, .kind = referee::kFillNormal, .key = 3};
  const auto free = filled(plain);
  for (const Form form : {Form::kUpper, Form::kLower, Form::kSymmetric, Form::kDiagonal}) {
    Filling filling = plain;
    filling.structure.form = form;
    filling.extents = {30, 30};
    auto expected = free;
    apply(filling.structure, filling.extents, expected);
    EXPECT_EQ(filled(filling), expected) << text_of(filling.structure);
    filling.storage = DType::kF64;
    filling.nudge = 0x1p-11;
    const auto moved = filled(filling);
    auto again = moved;
    apply(filling.structure, filling.extents, again);
    EXPECT_EQ(moved, again) << text_of(filling.structure) << ", nudged";
    EXPECT_NE(moved, expected);
  }
}

TEST_F(RefereeTest, DrawsRowsInOrderAndOneOfTwoValues) {
  for (const auto kind : {referee::kFillUniform, referee::kFillInteger}) {
    Filling filling{.count = 3 * 700, .dtype = DType::kI32, .kind = kind, .low = -5, .high = 90};
    filling.structure.form = Structure::Form::kAscending;
    filling.extents = {3, 700};
    const auto values = filled(filling);
    for (int row = 0; row < 3; ++row) {
      const auto begin = values.begin() + row * 700;
      EXPECT_TRUE(std::is_sorted(begin, begin + 700));
      EXPECT_EQ(*begin, -5);
      EXPECT_EQ(*(begin + 699), 90);
    }
  }
  Filling filling{.count = 5000, .dtype = DType::kF16, .kind = referee::kFillUniform, .key = 2};
  filling.structure.two = Structure::TwoValues{-1, 3, 0.25};
  const auto values = filled(filling);
  const auto high = std::count(values.begin(), values.end(), 3);
  EXPECT_NEAR(static_cast<double>(high), 1250, 150);
  EXPECT_EQ(high + std::count(values.begin(), values.end(), -1), 5000);
}

TEST_F(RefereeTest, RecallsValuesThatHaveAForm) {
  Filling filling{
      .address = allocate(40'000), .count = 900, .kind = referee::kFillNormal, .key = 11};
  filling.structure.form = Structure::Form::kSymmetric;
  filling.extents = {30, 30};
  ASSERT_TRUE(referee_->fill({&filling, 1}));
  EXPECT_EQ(referee_->recall({&filling, 1})->at(0).same, 900u);
}

TEST_F(RefereeTest, DrawsTheSameByKeyStreamAndPlaceAndOtherwiseSomethingElse) {
  const Filling filling{.count = 3000, .kind = referee::kFillNormal, .key = 7, .stream = 2};
  const auto values = filled(filling);
  EXPECT_EQ(filled(filling), values);
  Filling other = filling;
  other.key = 8;
  EXPECT_NE(filled(other), values);
  other = filling;
  other.stream = 3;
  EXPECT_NE(filled(other), values);
}

TEST_F(RefereeTest, StoresRoundedValuesInDoubleAndNudgesThem) {
  Filling filling{.count = 3000, .dtype = DType::kF16, .kind = referee::kFillNormal, .key = 5};
  const auto plain = filled(filling);
  filling.storage = DType::kF64;
  EXPECT_EQ(filled(filling), plain);
  filling.nudge = 0x1p-11;
  const auto moved = filled(filling);
  EXPECT_NE(moved, plain);
  for (std::size_t i = 0; i < plain.size(); ++i)
    EXPECT_LE(std::fabs(moved[i] - plain[i]), 0x1p-11 * std::fabs(plain[i]) + 0x1p-14) << i;
}

TEST_F(RefereeTest, PoisonsWithNotANumbers) {
  for (const DType dtype : kFloats) {
    const auto values = filled({.count = 1000, .dtype = dtype, .kind = referee::kFillNan});
    for (const double value : values) EXPECT_TRUE(std::isnan(value)) << name_of(dtype);
  }
}

TEST_F(RefereeTest, RecallsWhatItFilledAndFindsWhatChanged) {
  Filling filling{.address = allocate(40'000), .count = 10'000, .key = 11};
  ASSERT_TRUE(referee_->fill({&filling, 1}));
  auto result = *referee_->recall({&filling, 1});
  EXPECT_EQ(result[0].same, 10'000u);
  EXPECT_EQ(result[0].first_same, 0u);
  EXPECT_EQ(result[0].different, 0u);
  const std::byte byte{0x55};
  std::byte old{};
  ASSERT_TRUE(device_->buffers().read(filling.address + 4 * 777 + 1, {&old, 1}));
  const std::byte changed = old ^ byte;
  ASSERT_TRUE(device_->buffers().write(filling.address + 4 * 777 + 1, {&changed, 1}));
  result = *referee_->recall({&filling, 1});
  EXPECT_EQ(result[0].different, 1u);
  EXPECT_EQ(result[0].first_different, 777u);
}

TEST_F(RefereeTest, FingerprintsTellEveryByteAndPlace) {
  const std::uint64_t address = allocate(1003);
  std::vector<std::byte> bytes(1003);
  ASSERT_TRUE(device_->buffers().write(address, bytes));
  const Region region{address, 1003};
  const Hash128 first = referee_->fingerprint({&region, 1}, 9)->at(0);
  EXPECT_EQ(referee_->fingerprint({&region, 1}, 9)->at(0), first);
  EXPECT_FALSE(referee_->fingerprint({&region, 1}, 10)->at(0) == first);
  std::vector<Hash128> seen{first};
  for (const std::size_t at : {std::size_t{0}, std::size_t{8}, std::size_t{1002}}) {
    auto other = bytes;
    other[at] = std::byte{1};
    ASSERT_TRUE(device_->buffers().write(address, other));
    const Hash128 now = referee_->fingerprint({&region, 1}, 9)->at(0);
    for (const Hash128& old : seen) EXPECT_FALSE(now == old) << at;
    seen.push_back(now);
  }
}

struct Tensors {
  std::vector<double> got, expected, nudged;
};

/// The device's verdict beside the host's.
void expect_same(const std::optional<GateFailure>& device, const std::optional<GateFailure>& host,
                 const std::string& what) {
  ASSERT_EQ(device.has_value(), host.has_value()) << what;
  if (!device) return;
  EXPECT_EQ(device->gate, host->gate) << what;
  EXPECT_EQ(device->index, host->index) << what;
  EXPECT_NEAR(device->error, host->error, 1e-9 * std::fabs(host->error)) << what;
  EXPECT_NEAR(device->limit, host->limit, 1e-9 * std::fabs(host->limit)) << what;
}

class Comparing : public RefereeTest {
 protected:
  void compare(Tensors tensors, GateRequest gate, const std::string& what) {
    for (double& value : tensors.got) value = rounded(gate.dtype, value);
    Comparison comparison{.gate = gate,
                          .got = put(gate.dtype, tensors.got),
                          .expected = put(DType::kF64, tensors.expected),
                          .count = tensors.got.size(),
                          .nudged = put(DType::kF64, tensors.nudged)};
    const auto verdict = referee_->compare({&comparison, 1});
    ASSERT_TRUE(verdict) << verdict.error().text();
    gate.got = tensors.got;
    gate.expected = tensors.expected;
    gate.nudged = tensors.nudged;
    const GateVerdict host = check_output(gate);
    expect_same(verdict->at(0).failure, host.failure, what);
    EXPECT_NEAR(verdict->at(0).error, host.error, 1e-9 * host.error) << what;
    EXPECT_NEAR(verdict->at(0).limit, host.limit, 1e-9 * host.limit) << what;
  }

  static Tensors normal(std::size_t count) {
    Random random(count);
    Tensors tensors;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = random.normal();
      tensors.expected.push_back(value);
      tensors.nudged.push_back(value * (1 + 0x1p-23 * random.uniform()));
    }
    tensors.got = tensors.expected;
    return tensors;
  }
};

TEST_F(Comparing, DecidesAsTheHostDoesForEveryTypeAndSize) {
  for (const std::size_t count : {1u, 255u, 1024u, 1279u, 1280u, 5000u}) {
    for (const DType dtype : kFloats) {
      GateRequest gate{.dtype = dtype, .zero_mean = true};
      if (dtype != DType::kF64 && dtype != DType::kF32) gate.precision = Precision::kBf16;
      compare(normal(count), gate, std::string(name_of(dtype)) + " " + std::to_string(count));
    }
  }
}

TEST_F(Comparing, FindsTheSameFaultsAsTheHost) {
  const GateRequest gate{.zero_mean = true};
  Tensors noisy = normal(5000);
  for (double& value : noisy.got) value *= 1.001;
  compare(noisy, gate, "noise");
  Tensors element = normal(200'000);
  element.got[150'001] += 4e-3;
  compare(element, gate, "one element");
  Tensors tile = normal(200'000);
  for (std::size_t i = 30 * 1024; i < 31 * 1024; ++i) tile.got[i] += 2e-4;
  compare(tile, gate, "one tile");
  Tensors special = normal(3000);
  special.got[2999] = std::nan("");
  special.expected[5] = special.nudged[5] = std::nan("");
  special.got[5] = std::nan("");
  compare(special, gate, "NaN");
  Tensors integers = normal(3000);
  for (std::size_t i = 0; i < 3000; ++i)
    integers.expected[i] = integers.nudged[i] = integers.got[i] = static_cast<double>(i % 100);
  integers.nudged[7] += 1, integers.got[7] += 1;
  compare(integers, {.dtype = DType::kI32}, "integers on an edge");
  integers.got[2500] += 1;
  compare(integers, {.dtype = DType::kI32}, "integers");
}

TEST_F(Comparing, RoundsEveryHalfAsTheHostDoes) {
  Tensors all;
  for (int bits = 0; bits < 65'536; ++bits) {
    const auto pattern = static_cast<std::uint16_t>(bits);
    double value = 0;
    decode(DType::kF16, std::as_bytes(std::span(&pattern, 1)), {&value, 1});
    if (!std::isfinite(value)) continue;
    // Between two numbers of the type, nearer to this one.
    all.expected.push_back(value * (1 + 0x1p-13));
    all.got.push_back(value);
  }
  all.nudged = all.expected;
  compare(all, {.dtype = DType::kF16, .precision = Precision::kF16}, "halves");
}

}  // namespace
}  // namespace kp::harness
