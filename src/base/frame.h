// SPDX-License-Identifier: Apache-2.0
// What a process and a child that it distrusts send each other over a Unix socket. A frame is the
// length of its body (u32), the parent's nonce (u64), both little endian, and the body; descriptors
// travel beside the first byte. What a body means is said by those who send it.
#pragma once
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "base/stop.h"

namespace kp {

inline constexpr std::uint32_t kLargestFrame = 64u << 20;  // bytes

/// A socket's two ends and a secret number that every frame bears.
struct Connection {
  std::uint64_t nonce = 0;
  Descriptor ours, theirs;
};
Result<Connection> connect_to_child();

struct ByteFrame {
  std::vector<std::uint8_t> body;
  std::vector<Descriptor> descriptors;
};

/// kIo when the other side is gone; kLimit when the frame is too large.
Result<void> send_bytes(int socket, std::uint64_t nonce, std::span<const std::uint8_t> body,
                        std::span<const int> descriptors = {});
/// kTimeout at the deadline; kIo when the other side is gone; kCorrupt for anything but a frame
/// with this nonce. A negative deadline waits for ever. `stop` ends the wait like the deadline.
Result<ByteFrame> receive_bytes(int socket, std::uint64_t nonce, std::chrono::milliseconds deadline,
                                const StopFlag* stop = nullptr);

}  // namespace kp
