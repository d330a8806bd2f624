// SPDX-License-Identifier: Apache-2.0
#include "base/frame.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace kp {
namespace {

using std::chrono::milliseconds;
using Bytes = std::vector<std::uint8_t>;

constexpr milliseconds kPatience{10'000};

/// A connection; what a test writes at its near end is read at its far end.
struct Line {
  Line() {
    if (auto made = connect_to_child()) connection = *std::move(made);
  }
  Result<void> send(std::span<const std::uint8_t> body, std::span<const int> descriptors = {}) {
    return send_bytes(connection.ours.number(), connection.nonce, body, descriptors);
  }
  void put(std::span<const std::uint8_t> bytes) {
    ASSERT_EQ(::send(connection.ours.number(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }
  Result<ByteFrame> take(milliseconds patience = kPatience, const StopFlag* stop = nullptr) {
    return receive_bytes(connection.theirs.number(), connection.nonce, patience, stop);
  }
  Connection connection;
};

Bytes head(std::uint32_t length, std::uint64_t nonce) {
  Bytes bytes;
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(length >> (8 * i)));
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(nonce >> (8 * i)));
  return bytes;
}

TEST(Frame, ArrivesAsItWasSentWithItsDescriptors) {
  Line line;
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const Descriptor read(pipe[0]), write(pipe[1]);
  const int given[] = {write.number()};
  const Bytes body{1, 2, 0, 255};
  ASSERT_TRUE(line.send(body, given).has_value());
  const auto frame = line.take();
  ASSERT_TRUE(frame.has_value()) << frame.error().text();
  EXPECT_EQ(frame->body, body);
  ASSERT_EQ(frame->descriptors.size(), 1u);
  EXPECT_EQ(::write(frame->descriptors[0].number(), "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(::read(read.number(), &byte, 1), 1);
  EXPECT_NE(::fcntl(frame->descriptors[0].number(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(Frame, MayBeEmpty) {
  Line line;
  ASSERT_TRUE(line.send({}).has_value());
  ASSERT_TRUE(line.send(Bytes{7}).has_value());
  EXPECT_EQ(line.take()->body, Bytes{});
  EXPECT_EQ(line.take()->body, Bytes{7});
}

TEST(Frame, LargerThanTheSocketsBufferArrivesWhole) {
  Line line;
  const Bytes body(8u << 20, 7);
  std::thread sender([&] { EXPECT_TRUE(line.send(body).has_value()); });
  const auto frame = line.take();
  sender.join();
  ASSERT_TRUE(frame.has_value()) << frame.error().text();
  EXPECT_EQ(frame->body, body);
}

TEST(Frame, ThatIsTooLargeIsNotSent) {
  Line line;
  const auto sent = line.send(Bytes(std::size_t{kLargestFrame} + 1));
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().code, ErrorCode::kLimit);
  const std::vector<int> many(17, line.connection.ours.number());
  EXPECT_EQ(line.send(Bytes{1}, many).error().code, ErrorCode::kLimit);
}

TEST(Frame, ToOneWhoIsGoneIsAnError) {
  Line line;
  line.connection.theirs.close();
  const auto sent = line.send(Bytes{1});
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().code, ErrorCode::kIo);
}

TEST(Receiving, EndsAtTheDeadline) {
  Line line;
  EXPECT_EQ(line.take(milliseconds(1)).error().code, ErrorCode::kTimeout);
  line.put(Bytes{9, 0, 0});
  EXPECT_EQ(line.take(milliseconds(1)).error().code, ErrorCode::kTimeout);
}

TEST(Receiving, EndsWhenAStopIsRequested) {
  Line line;
  StopFlag stop;
  stop.request();
  EXPECT_EQ(line.take(milliseconds(-1), &stop).error().code, ErrorCode::kTimeout);
}

TEST(Receiving, SaysWhenTheOtherSideIsGone) {
  Line line;
  line.put(head(100, line.connection.nonce));
  line.connection.ours.close();
  EXPECT_EQ(line.take().error().code, ErrorCode::kIo);
}

TEST(Receiving, RefusesAnotherNonceAndAnAbsurdLengthBeforeTheBody) {
  Line other;
  other.put(head(5, other.connection.nonce + 1));
  EXPECT_EQ(other.take().error().code, ErrorCode::kCorrupt);
  Line huge;
  huge.put(head(kLargestFrame + 1, huge.connection.nonce));
  EXPECT_EQ(huge.take().error().code, ErrorCode::kCorrupt);
}

TEST(Connections, HaveNoncesOfTheirOwn) {
  const Line one, other;
  EXPECT_NE(one.connection.nonce, other.connection.nonce);
}

}  // namespace
}  // namespace kp
