// SPDX-License-Identifier: Apache-2.0
// One HTTP request and its answer as it comes in. TLS is verified, proxies come from the
// environment (never for this machine), and redirects are not followed: a key goes to one host.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/stop.h"
#include "llm/trouble.h"

namespace kp::llm {

struct TransferLimits {
  std::chrono::milliseconds connect{15'000};
  std::chrono::milliseconds idle{300'000};     // without a byte; models think in silence
  std::chrono::milliseconds total{1'800'000};  // of one attempt
  std::uint64_t answer_bytes = 32ull << 20;
};

struct Request {
  std::string url;
  bool loopback = false;
  std::vector<std::string> headers;  // "name: value"
  std::string body;
};

struct Answer {
  long status = 0;
  std::string content_type, retry_after, date, location;  // headers, empty where there is none
  std::string body;                                       // the first 64 KiB of what is no success
};

class Http {
 public:
  /// Takes the bytes of a success as they come; false when it has enough.
  using Sink = std::function<bool(std::string_view)>;

  /// kUnavailable where there is no libcurl.
  static Result<std::unique_ptr<Http>> open();
  virtual ~Http() = default;

  /// POST. May be called from several threads; connections are kept for later calls. Any status is
  /// an answer; no answer is a Trouble. Ends within 200 ms after `stop` was requested.
  virtual Attempt<Answer> post(const Request& request, const TransferLimits& limits,
                               const Sink& sink, const StopFlag& stop) = 0;
};

}  // namespace kp::llm
