// SPDX-License-Identifier: Apache-2.0
// Messages over two descriptors, one a line: the stdio transport of the Model Context Protocol.
#pragma once
#include <cstddef>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/stop.h"

namespace kp::mcp {

class LineChannel {
 public:
  /// The descriptors stay the caller's. A longer line than `most_bytes` is dropped as a whole.
  LineChannel(int in, int out, std::size_t most_bytes = std::size_t{16} << 20)
      : in_(in), out_(out), most_bytes_(most_bytes) {}

  /// The next line without its end; nothing at the end of the input or soon after `stop`. A line
  /// that was dropped reads as an empty one, which is no message.
  Result<std::optional<std::string>> read(const StopFlag& stop);
  /// From any thread. kIo when nobody reads any more.
  Result<void> write(const nlohmann::json& message);

 private:
  std::optional<std::string> take_line();

  int in_, out_;
  std::size_t most_bytes_;
  std::string buffer_;
  bool dropping_ = false;
  std::mutex writing_;
};

}  // namespace kp::mcp
