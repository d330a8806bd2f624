// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/protocol.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "device/cuda/cbor.h"

namespace kp::device::cuda {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kNonce = 0x0123'4567'89ab'cdef;
constexpr milliseconds kPatience{10'000};

/// Two ends of a connection.
struct Line {
  Line() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
      near = Descriptor(ends[0]);
      far = Descriptor(ends[1]);
    }
  }
  void put(std::span<const std::uint8_t> bytes) const {
    ASSERT_EQ(::send(near.number(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }
  Result<Frame> take(milliseconds patience = kPatience) const {
    return receive_frame(far.number(), kNonce, patience);
  }
  Descriptor near, far;
};

std::vector<std::uint8_t> framed(std::uint32_t length, std::uint64_t nonce,
                                 std::span<const std::uint8_t> body) {
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(length >> (8 * i)));
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(nonce >> (8 * i)));
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}
std::vector<std::uint8_t> framed(std::span<const std::uint8_t> body) {
  return framed(static_cast<std::uint32_t>(body.size()), kNonce, body);
}

nlohmann::json sample() {
  return {{"do", "run"},
          {"module", 3},
          {"cubin", nlohmann::json::binary({0x7f, 'E', 'L', 'F', 0})},
          {"times", {1.5, nullptr, -2, 18446744073709551615u}},
          {"steps", {{{"zero", 0x7000'0000'0000u}, {"bytes", 4096}}}},
          {"cold", true}};
}

TEST(Frame, ArrivesAsItWasSentWithItsDescriptors) {
  const Line line;
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const Descriptor read(pipe[0]), write(pipe[1]);
  const int given[] = {write.number()};
  ASSERT_TRUE(send_frame(line.near.number(), kNonce, sample(), given).has_value());
  const auto frame = line.take();
  ASSERT_TRUE(frame.has_value()) << frame.error().text();
  EXPECT_EQ(frame->body, sample());
  ASSERT_EQ(frame->descriptors.size(), 1u);
  EXPECT_EQ(::write(frame->descriptors[0].number(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(::read(read.number(), &byte, 1), 1);
  EXPECT_NE(::fcntl(frame->descriptors[0].number(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(Frame, ThatIsTooLargeIsNotSent) {
  const Line line;
  const nlohmann::json body =
      nlohmann::json::binary(std::vector<std::uint8_t>(std::size_t{kLargestFrame} + 1));
  const auto sent = send_frame(line.near.number(), kNonce, body);
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().code, ErrorCode::kLimit);
}

ErrorCode code_of(std::vector<std::uint8_t> bytes) {
  const auto value = read_cbor(bytes);
  return value ? ErrorCode::kBusy : value.error().code;
}

TEST(Cbor, RefusesWhatWouldExhaustTheReader) {
  EXPECT_EQ(code_of(std::vector<std::uint8_t>(1u << 20, 0x81)), ErrorCode::kCorrupt);  // nested
  EXPECT_EQ(code_of({0x9b, 0x3f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), ErrorCode::kCorrupt);
  EXPECT_EQ(code_of({0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), ErrorCode::kCorrupt);
  EXPECT_EQ(code_of({0xbb, 0x80, 0, 0, 0, 0, 0, 0, 0}), ErrorCode::kCorrupt);  // 2n overflows
  std::vector<std::uint8_t> many(9 + (1u << 21), 0xf6);
  many[0] = 0x9a;
  many[1] = 0, many[2] = 0x20, many[3] = 0, many[4] = 0;
  EXPECT_EQ(code_of(many), ErrorCode::kCorrupt);
}

TEST(Cbor, RefusesFormsThatWeNeverWrite) {
  EXPECT_EQ(code_of({}), ErrorCode::kCorrupt);
  EXPECT_EQ(code_of({0x9f, 0xff}), ErrorCode::kCorrupt);        // a list of unknown length
  EXPECT_EQ(code_of({0xa1, 0x01, 0x02}), ErrorCode::kCorrupt);  // a number as a key
  EXPECT_EQ(code_of({0xc1, 0x01}), ErrorCode::kCorrupt);        // a tag
  EXPECT_EQ(code_of({0x01, 0x01}), ErrorCode::kCorrupt);        // two values
  EXPECT_EQ(code_of({0x1c}), ErrorCode::kCorrupt);              // a reserved length
  EXPECT_EQ(code_of({0xf8, 0x20}), ErrorCode::kCorrupt);        // an unknown simple value
}

TEST(Cbor, ReadsNumbersThatAreNotFinite) {
  std::vector<std::uint8_t> bytes =
      nlohmann::json::to_cbor(std::numeric_limits<double>::infinity());
  ASSERT_TRUE(read_cbor(bytes).has_value());
  EXPECT_TRUE(std::isinf(read_cbor(bytes)->get<double>()));
}

TEST(Cbor, SurvivesAnyBytes) {
  Random random(1);
  int read = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::uint8_t> bytes(random.below(64));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.bits32());
    read += read_cbor(bytes).has_value() ? 1 : 0;
  }
  EXPECT_GT(read, 0);  // single small values are valid
}

TEST(Frame, DamagedInAnyPlaceIsRefusedOrReadable) {
  const std::vector<std::uint8_t> good = nlohmann::json::to_cbor(sample());
  Random random(2);
  int refused = 0;
  for (int round = 0; round < 5'000; ++round) {
    std::vector<std::uint8_t> bytes = good;
    for (std::uint64_t hits = 1 + random.below(4); hits > 0; --hits)
      bytes[random.below(bytes.size())] = static_cast<std::uint8_t>(random.bits32());
    if (random.below(4) == 0) bytes.resize(random.below(bytes.size()));
    const Line line;
    line.put(framed(bytes));
    const auto frame = line.take();
    refused += frame ? 0 : 1;
    // Whatever was read can be asked for steps.
    if (frame) static_cast<void>(wire_step_from(frame->body));
  }
  EXPECT_GT(refused, 1000);
  EXPECT_LT(refused, 5000);
}

BoundLaunch bound_launch(const Launch& launch) {
  BoundLaunch bound;
  bound.kernel = "matmul";
  bound.shape = {.launch = &launch, .grid = {8, 4, 2}, .block = {128, 1, 1}, .cluster = {2, 1, 1}};
  bound.shape.shared_bytes = 200'000;
  bound.parameters = {std::byte{1}, std::byte{2}, std::byte{255}};
  bound.tensor_maps.push_back({.offset = 64,
                               .address = kFirstAddress,
                               .dtype = DType::kBf16,
                               .extents = {4096, 1ull << 33},
                               .box = {64, 128},
                               .swizzle = "128B"});
  return bound;
}

/// As the other side reads it.
Result<WireStep> carried(const nlohmann::json& json) {
  KP_TRY(const nlohmann::json arrived, read_cbor(nlohmann::json::to_cbor(json)));
  return wire_step_from(arrived);
}

TEST(Step, OfALaunchArrivesWhole) {
  Launch launch;
  launch.cooperative = true;
  const BoundLaunch bound = bound_launch(launch);
  const auto step = carried(to_json(BoundStep(bound)));
  ASSERT_TRUE(step.has_value()) << step.error().text();
  const auto& wire = std::get<WireLaunch>(*step);
  EXPECT_EQ(wire.kernel, "matmul");
  EXPECT_EQ(wire.grid[0], 8u);
  EXPECT_EQ(wire.grid[2], 2u);
  EXPECT_EQ(wire.block[0], 128u);
  EXPECT_EQ(wire.cluster[0], 2u);
  EXPECT_TRUE(wire.cooperative);
  EXPECT_EQ(wire.shared_bytes, 200'000u);
  EXPECT_EQ(wire.parameters, bound.parameters);
  ASSERT_EQ(wire.tensor_maps.size(), 1u);
  EXPECT_EQ(wire.tensor_maps[0].offset, 64u);
  EXPECT_EQ(wire.tensor_maps[0].address, kFirstAddress);
  EXPECT_EQ(wire.tensor_maps[0].dtype, DType::kBf16);
  EXPECT_EQ(wire.tensor_maps[0].extents, bound.tensor_maps[0].extents);
  EXPECT_EQ(wire.tensor_maps[0].box, bound.tensor_maps[0].box);
  EXPECT_EQ(wire.tensor_maps[0].swizzle, "128B");
}

TEST(Step, OfZeroesArrivesWhole) {
  const auto step = carried(to_json(BoundStep(BoundZero{kFirstAddress, 1ull << 34})));
  ASSERT_TRUE(step.has_value());
  EXPECT_EQ(std::get<BoundZero>(*step).address, kFirstAddress);
  EXPECT_EQ(std::get<BoundZero>(*step).bytes, 1ull << 34);
}

TEST(Step, ThatLacksAMemberOrHasAnotherTypeNamesIt) {
  const Launch launch;
  const nlohmann::json whole = to_json(BoundStep(bound_launch(launch)));
  for (const auto& member : whole.items()) {
    nlohmann::json broken = whole;
    broken.erase(member.key());
    const auto missing = carried(broken);
    ASSERT_FALSE(missing.has_value()) << member.key();
    EXPECT_EQ(missing.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(missing.error().message.find(member.key()), std::string::npos);
    broken[member.key()] = -1.5;
    EXPECT_FALSE(carried(broken).has_value()) << member.key();
  }
}

TEST(Step, WithNumbersOutOfRangeIsRefused) {
  const Launch launch;
  nlohmann::json json = to_json(BoundStep(bound_launch(launch)));
  json["grid"] = {1, 1};
  EXPECT_FALSE(carried(json).has_value());
  json["grid"] = {1, 1, 1ull << 32};
  EXPECT_FALSE(carried(json).has_value());
  json["grid"] = {1, 1, -1};
  EXPECT_FALSE(carried(json).has_value());
}

}  // namespace
}  // namespace kp::device::cuda
