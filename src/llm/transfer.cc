// SPDX-License-Identifier: Apache-2.0
#include "llm/transfer.h"

#include <fmt/format.h>

#include <mutex>

#include "base/pipe_signal.h"
#include "base/text.h"
#include "llm/curl_library.h"

namespace kp::llm {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kGlance{50};              // how often limits and the stop flag are looked at
constexpr std::size_t kRefusalBytes = 64 << 10;  // of the body of what is no success
constexpr std::size_t kHeaderBytes = 16 << 10;   // of one header that is kept

/// A connection that stays open between calls: libcurl keeps it in the multi handle.
class Line {
 public:
  explicit Line(const CurlLibrary& curl)
      : curl_(curl), easy_(curl.curl_easy_init()), multi_(curl.curl_multi_init()) {}
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() {
    curl_.curl_easy_cleanup(easy_);
    curl_.curl_multi_cleanup(multi_);
  }
  bool open() const { return easy_ != nullptr && multi_ != nullptr; }
  CURL* easy() const { return easy_; }
  CURLM* multi() const { return multi_; }

 private:
  const CurlLibrary& curl_;
  CURL* easy_;
  CURLM* multi_;
};

/// One request on one line.
class Transfer {
 public:
  Transfer(const CurlLibrary& curl, Line& line, const TransferLimits& limits,
           const Http::Sink& sink)
      : curl_(curl), line_(line), limits_(limits), sink_(sink) {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() {
    curl_.curl_multi_remove_handle(line_.multi(), line_.easy());
    curl_.curl_easy_reset(line_.easy());
    curl_.curl_slist_free_all(headers_);
  }

  Attempt<Answer> run(const Request& request, const StopFlag& stop);

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    // An older libcurl refuses what it does not know; nothing here depends on such an option.
    (void)curl_.curl_easy_setopt(line_.easy(), option, value);
  }
  void set_up(const Request& request);
  std::optional<Trouble> drive(const StopFlag& stop);
  std::optional<Trouble> overdue(const StopFlag& stop) const;
  std::optional<Trouble> outcome(CURLcode code) const;
  std::size_t take_header(std::string_view line);
  std::size_t take_body(std::string_view bytes);
  long status() const {
    long status = 0;
    (void)curl_.curl_easy_getinfo(line_.easy(), CURLINFO_RESPONSE_CODE, &status);
    return status;
  }

  static std::size_t on_header(char* bytes, std::size_t one, std::size_t count, void* self) {
    return static_cast<Transfer*>(self)->take_header({bytes, one * count});
  }
  static std::size_t on_body(char* bytes, std::size_t one, std::size_t count, void* self) {
    return static_cast<Transfer*>(self)->take_body({bytes, one * count});
  }

  const CurlLibrary& curl_;
  Line& line_;
  const TransferLimits& limits_;
  const Http::Sink& sink_;
  curl_slist* headers_ = nullptr;
  std::string server_;
  Answer answer_;
  std::uint64_t bytes_ = 0;
  bool enough_ = false;
  steady_clock::time_point begin_ = steady_clock::now(), last_ = begin_;
};

void Transfer::set_up(const Request& request) {
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // do not wait for a name server once the call was stopped
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));  // no key for a proxy
  if (request.loopback) set(CURLOPT_PROXY, "");
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits_.connect.count()));
  set(CURLOPT_POST, 1L);
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  set(CURLOPT_POSTFIELDS, request.body.data());
  // Servers that never say "100 Continue" would cost a second each time.
  headers_ = curl_.curl_slist_append(headers_, "Expect:");
  for (const std::string& header : request.headers) {
    headers_ = curl_.curl_slist_append(headers_, header.c_str());
  }
  set(CURLOPT_HTTPHEADER, headers_);
  set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
}

std::size_t Transfer::take_header(std::string_view line) {
  last_ = steady_clock::now();
  // A proxy's answer to CONNECT and "100 Continue" come before the server's own headers.
  if (line.starts_with("HTTP/")) answer_ = {};
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || line.size() > kHeaderBytes) return line.size();
  std::string name(line.substr(0, colon));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string value(trim(line.substr(colon + 1)));
  if (name == "content-type")
    answer_.content_type = std::move(value);
  else if (name == "retry-after")
    answer_.retry_after = std::move(value);
  else if (name == "date")
    answer_.date = std::move(value);
  else if (name == "location")
    answer_.location = std::move(value);
  return line.size();
}

std::size_t Transfer::take_body(std::string_view bytes) {
  last_ = steady_clock::now();
  bytes_ += bytes.size();
  if (bytes_ > limits_.answer_bytes) return CURL_WRITEFUNC_ERROR;
  if (status() / 100 != 2) {
    answer_.body += bytes.substr(0, kRefusalBytes - std::min(kRefusalBytes, answer_.body.size()));
    return bytes.size();
  }
  enough_ = !sink_(bytes);
  return enough_ ? CURL_WRITEFUNC_ERROR : bytes.size();
}

std::optional<Trouble> Transfer::overdue(const StopFlag& stop) const {
  if (stop.requested()) return stopped();
  const auto now = steady_clock::now();
  const auto late = [&](const char* what, milliseconds limit) {
    return passing(ErrorCode::kTimeout,
                   fmt::format("{} {} for {}", server_, what,
                               format_duration_ns(static_cast<double>(limit.count()) * 1e6)),
                   "try again later, or another model")
        .value();
  };
  if (now - last_ > limits_.idle) return late("sent nothing", limits_.idle);
  if (now - begin_ > limits_.total) return late("did not finish its answer", limits_.total);
  return std::nullopt;
}

std::optional<Trouble> Transfer::drive(const StopFlag& stop) {
  for (int running = 1;;) {
    if (curl_.curl_multi_perform(line_.multi(), &running) != CURLM_OK) {
      return passing(ErrorCode::kUnavailable, "libcurl cannot go on").value();
    }
    if (running == 0) break;
    if (auto trouble = overdue(stop)) return trouble;
    (void)curl_.curl_multi_poll(line_.multi(), nullptr, 0, static_cast<int>(kGlance.count()),
                                nullptr);
  }
  int left = 0;
  const CURLMsg* message = curl_.curl_multi_info_read(line_.multi(), &left);
  return outcome(message == nullptr ? CURLE_RECV_ERROR : message->data.result);
}

std::optional<Trouble> Transfer::outcome(CURLcode code) const {
  if (code == CURLE_OK || enough_) return std::nullopt;
  const std::string text = curl_.curl_easy_strerror(code);
  switch (code) {
    case CURLE_WRITE_ERROR:
      return lasting(ErrorCode::kLimit,
                     fmt::format("the answer of {} is larger than {}", server_,
                                 format_bytes(static_cast<double>(limits_.answer_bytes))),
                     "ask for fewer tokens")
          .value();
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return lasting(ErrorCode::kUnavailable,
                     fmt::format("{} is not who it says it is: {}", server_, text),
                     "check the address; a certificate of your own belongs into the system's store "
                     "(update-ca-certificates)")
          .value();
    case CURLE_OPERATION_TIMEDOUT:
      return passing(ErrorCode::kTimeout, fmt::format("no connection to {}: {}", server_, text),
                     "check the address and the network")
          .value();
    default:
      return passing(ErrorCode::kUnavailable, fmt::format("no answer from {}: {}", server_, text),
                     "check the address, the network, and that the server runs")
          .value();
  }
}

Attempt<Answer> Transfer::run(const Request& request, const StopFlag& stop) {
  server_ = request.url;
  set_up(request);
  if (curl_.curl_multi_add_handle(line_.multi(), line_.easy()) != CURLM_OK) {
    return passing(ErrorCode::kUnavailable, "libcurl cannot start a transfer");
  }
  if (auto trouble = drive(stop)) return tl::unexpected(*std::move(trouble));
  answer_.status = status();
  return std::move(answer_);
}

class CurlHttp final : public Http {
 public:
  explicit CurlHttp(const CurlLibrary& curl) : curl_(curl) {}

  Attempt<Answer> post(const Request& request, const TransferLimits& limits, const Sink& sink,
                       const StopFlag& stop) override {
    if (stop.requested()) return tl::unexpected(stopped());
    const PipeSignalHeld held;  // TLS libraries write to sockets that a server may have closed
    std::unique_ptr<Line> line = take_line();
    if (!line->open()) return lasting(ErrorCode::kLimit, "libcurl has no memory for a transfer");
    auto answer = Transfer(curl_, *line, limits, sink).run(request, stop);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(line));
    return answer;
  }

 private:
  std::unique_ptr<Line> take_line() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<Line>(curl_);
    auto line = std::move(idle_.back());
    idle_.pop_back();
    return line;
  }

  const CurlLibrary& curl_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Line>> idle_;
};

}  // namespace

Trouble stopped() {
  return {Error{ErrorCode::kUnavailable, "stopped before the model had answered", {}, {}, {}},
          false, std::nullopt};
}

Result<std::unique_ptr<Http>> Http::open() {
  KP_TRY(const CurlLibrary* curl, open_curl());
  return std::make_unique<CurlHttp>(*curl);
}

}  // namespace kp::llm
