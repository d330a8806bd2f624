// SPDX-License-Identifier: Apache-2.0
#include "base/frame.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/secret.h"

namespace kp {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeadBytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);
constexpr std::size_t kMostDescriptors = 16;  // beside one frame
constexpr std::size_t kReadBytes = 1u << 20;  // memory grows with what really arrives
constexpr milliseconds kSendPatience{30'000};
constexpr milliseconds kStopSlice{50};  // how long a stop may go unseen

using Head = std::array<std::uint8_t, kHeadBytes>;

template <class Number>
void put(std::uint8_t* bytes, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i)
    bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
}
template <class Number>
Number take(const std::uint8_t* bytes) {
  Number number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i)
    number = static_cast<Number>(number | static_cast<Number>(bytes[i]) << (8 * i));
  return number;
}

tl::unexpected<Error> gone(std::string_view what) {
  return fail(ErrorCode::kIo, fmt::format("the other process is gone: {}", what));
}
tl::unexpected<Error> corrupt(std::string message) {
  return fail(ErrorCode::kCorrupt, std::move(message));
}

/// A point in time, or never.
class Deadline {
 public:
  explicit Deadline(milliseconds patience, const StopFlag* stop = nullptr)
      : never_(patience.count() < 0),
        end_(Clock::now() + std::max(patience, milliseconds(0))),
        stop_(stop) {}

  /// Waits for `events`; kTimeout at the deadline and when the stop flag is up.
  Result<void> wait(int socket, short events) const {
    for (;;) {
      if (stop_ != nullptr && stop_->requested())
        return fail(ErrorCode::kTimeout, "stopped while the other process was working");
      pollfd watched{socket, events, 0};
      const int ready = ::poll(&watched, 1, slice());
      if (ready > 0) return {};
      if (ready < 0 && errno != EINTR) return gone(std::strerror(errno));
      if (!never_ && Clock::now() >= end_)
        return fail(ErrorCode::kTimeout, "the other process did not answer in time");
    }
  }

 private:
  /// How long to sleep before looking at the clock and the stop flag, milliseconds; -1: no limit.
  int slice() const {
    const auto rest = std::chrono::ceil<milliseconds>(end_ - Clock::now()).count();
    const auto left = static_cast<int>(std::clamp<std::int64_t>(rest, 0, 1 << 30));
    const auto most = static_cast<int>(kStopSlice.count());
    if (stop_ == nullptr) return never_ ? -1 : left;
    return never_ ? most : std::min(left, most);
  }
  bool never_;
  Clock::time_point end_;
  const StopFlag* stop_;
};

/// Room for the descriptors that travel beside a byte.
struct Beside {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)> bytes{};
};

void attach(msghdr& message, Beside& beside, std::span<const int> descriptors) {
  if (descriptors.empty()) return;
  message.msg_control = beside.bytes.data();
  message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size_bytes());
}

std::vector<Descriptor> detach(msghdr& message) {
  std::vector<Descriptor> descriptors;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
       head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(head) + i * sizeof number, sizeof number);
      descriptors.emplace_back(number);
    }
  }
  return descriptors;
}

bool try_again() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

/// The descriptors go with the first byte.
Result<void> send_all(int socket, std::span<const std::uint8_t> bytes,
                      std::span<const int> descriptors) {
  while (!bytes.empty()) {
    KP_TRY_VOID(Deadline(kSendPatience).wait(socket, POLLOUT));
    iovec part{const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    Beside beside;
    attach(message, beside, descriptors);
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && try_again()) continue;
    if (sent < 0) return gone(std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
    descriptors = {};
  }
  return {};
}

class Receiver {
 public:
  Receiver(int socket, const Deadline& deadline) : socket_(socket), deadline_(deadline) {}

  /// Fills `bytes`; descriptors are taken only where `descriptors` is given, else the system drops
  /// them.
  Result<void> fill(std::span<std::uint8_t> bytes, std::vector<Descriptor>* descriptors = nullptr) {
    while (!bytes.empty()) {
      KP_TRY_VOID(deadline_.wait(socket_, POLLIN));
      KP_TRY(const std::size_t count, some(bytes, descriptors));
      bytes = bytes.subspan(count);
      if (count != 0) descriptors = nullptr;
    }
    return {};
  }

 private:
  Result<std::size_t> some(std::span<std::uint8_t> bytes, std::vector<Descriptor>* descriptors) {
    iovec part{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    Beside beside;
    if (descriptors != nullptr) {
      message.msg_control = beside.bytes.data();
      message.msg_controllen = beside.bytes.size();
    }
    const ssize_t count = ::recvmsg(socket_, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (count < 0 && try_again()) return 0;
    if (count < 0) return gone(std::strerror(errno));
    if (count == 0) return gone("it closed the connection");
    if (descriptors != nullptr) *descriptors = detach(message);
    if (descriptors != nullptr && (message.msg_flags & MSG_CTRUNC) != 0)
      return corrupt("too many descriptors beside a message");
    return static_cast<std::size_t>(count);
  }

  int socket_;
  Deadline deadline_;
};

Result<std::size_t> body_bytes(const Head& head, std::uint64_t nonce) {
  const auto length = take<std::uint32_t>(head.data());
  if (take<std::uint64_t>(head.data() + sizeof length) != nonce)
    return corrupt("a message has the wrong nonce");
  if (length > kLargestFrame)
    return corrupt(fmt::format("a message claims {} bytes, more than {}", length, kLargestFrame));
  return length;
}

}  // namespace

Result<Connection> connect_to_child() {
  KP_TRY(const std::uint64_t nonce, secret_number());
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail(ErrorCode::kIo, fmt::format("socketpair: {}", std::strerror(errno)));
  return Connection{nonce, Descriptor(ends[0]), Descriptor(ends[1])};
}

Result<void> send_bytes(int socket, std::uint64_t nonce, std::span<const std::uint8_t> body,
                        std::span<const int> descriptors) {
  if (body.size() > kLargestFrame || descriptors.size() > kMostDescriptors) {
    return fail(ErrorCode::kLimit,
                fmt::format("a message of {} bytes and {} descriptors is too large", body.size(),
                            descriptors.size()));
  }
  Head head{};
  put(head.data(), static_cast<std::uint32_t>(body.size()));
  put(head.data() + sizeof(std::uint32_t), nonce);
  KP_TRY_VOID(send_all(socket, head, descriptors));
  return send_all(socket, body, {});
}

Result<ByteFrame> receive_bytes(int socket, std::uint64_t nonce, milliseconds deadline,
                                const StopFlag* stop) {
  Receiver receiver(socket, Deadline(deadline, stop));
  ByteFrame frame;
  Head head{};
  KP_TRY_VOID(receiver.fill(head, &frame.descriptors));
  KP_TRY(const std::size_t length, body_bytes(head, nonce));
  while (frame.body.size() < length) {
    const std::size_t before = frame.body.size();
    frame.body.resize(std::min(length, before + kReadBytes));
    KP_TRY_VOID(receiver.fill(std::span(frame.body).subspan(before)));
  }
  return frame;
}

}  // namespace kp
