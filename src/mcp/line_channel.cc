// SPDX-License-Identifier: Apache-2.0
#include "mcp/line_channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

namespace kp::mcp {
namespace {

constexpr int kSliceMs = 100;  // how late a stop may be seen
constexpr std::size_t kPiece = std::size_t{64} << 10;

tl::unexpected<Error> broken(std::string_view what) {
  return fail(ErrorCode::kIo,
              fmt::format("the client's {} failed: {}", what, std::strerror(errno)));
}

/// Whether there is something to read before the slice is over.
bool readable(int descriptor) {
  pollfd waiting{descriptor, POLLIN, 0};
  return ::poll(&waiting, 1, kSliceMs) > 0;
}

}  // namespace

std::optional<std::string> LineChannel::take_line() {
  const std::size_t end = buffer_.find('\n');
  if (end == std::string::npos) {
    if (buffer_.size() > most_bytes_) {
      buffer_.clear();
      dropping_ = true;
    }
    return std::nullopt;
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  if (dropping_) line.clear();
  dropping_ = false;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

Result<std::optional<std::string>> LineChannel::read(const StopFlag& stop) {
  while (true) {
    if (auto line = take_line()) return line;
    if (stop.requested()) return std::nullopt;
    if (!readable(in_)) continue;
    const std::size_t before = buffer_.size();
    buffer_.resize(before + kPiece);
    const ssize_t count = ::read(in_, buffer_.data() + before, kPiece);
    buffer_.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count == 0) return std::nullopt;
    if (count < 0 && errno != EINTR && errno != EAGAIN) return broken("input");
  }
}

Result<void> LineChannel::write(const nlohmann::json& message) {
  // Text of compilers and programs may hold bytes that are no UTF-8.
  const std::string line =
      message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  const std::lock_guard lock(writing_);
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t count = ::write(out_, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return broken("output");
    done += static_cast<std::size_t>(count);
  }
  return {};
}

}  // namespace kp::mcp
