// SPDX-License-Identifier: Apache-2.0
// A process of Python, its loss and its successor.
#include <fmt/format.h>

#include <algorithm>

#include "base/frame.h"
#include "base/process.h"
#include "base/text.h"
#include "model/json.h"
#include "torch/array_file.h"
#include "torch/conversation.h"
#include "torch/protocol.h"
#include "torch/python.h"

namespace kp::torch {
namespace {

using std::chrono::milliseconds;
using Json = nlohmann::json;

constexpr milliseconds kImporting{60'000};  // importing PyTorch takes 2 s; from a cold disk longer
constexpr milliseconds kDeath{2'000};       // from the end of its socket to the end of a process
constexpr std::size_t kLongestText = 2000;  // of what it printed last
constexpr int kKilled = 9;

std::string verb_of(const Request& request) { return request.body.value("do", std::string()); }

bool carries_arrays(const Request& request) { return request.body.contains("arrays"); }

class Live final : public Conversation {
 public:
  Live(WorkerOptions options, std::string python, Role role)
      : options_(std::move(options)), python_(std::move(python)), role_(role) {}

  /// What goes wrong is told to whoever asks.
  void begin() override {
    if (!process_) static_cast<void>(start());
  }

  Result<Answer> ask(const Request& request) override {
    if (!process_ || process_->wait(milliseconds(0))) KP_TRY_VOID(start());
    if (!ready_) KP_TRY_VOID(make_ready());
    Result<Answer> answer = verb_of(request) == "open" ? opened_ : exchange(request);
    if (answer && verb_of(request) == "load") keep(request);
    return answer;
  }

 private:
  void keep(const Request& load) {
    const auto same = [&](const Request& other) { return other.body == load.body; };
    if (std::none_of(loaded_.begin(), loaded_.end(), same)) loaded_.push_back(load);
  }

  Request opening() const {
    return {.body = {{"do", "open"}, {"device", options_.device}}, .deadline = kImporting};
  }

  /// It imports PyTorch by itself from then on.
  Result<void> start() {
    ready_ = false;
    KP_TRY(ChildSpec child, worker_command(python_, options_));
    KP_TRY(Connection connection, connect_to_child());
    nonce_ = connection.nonce;
    child.command.push_back(fmt::format("{}", nonce_));
    // What a guest could write, nobody else may read.
    if (role_ == Role::kGuest)
      child.command.emplace_back("guest");
    else
      child.environment.push_back("KERNELPRO_BYTECODE=" + (cache_folder() / "bytecode").string());
    child.descriptors = {connection.theirs.number()};
    if (options_.confine) child = options_.confine(std::move(child));
    KP_TRY(process_, Process::start(child));
    socket_ = std::move(connection.ours);
    connection.theirs.close();  // so that its end is seen here
    printed_.clear();
    return send(opening(), opening().body, {});
  }

  /// Up to the point where the process that was lost had been.
  Result<void> make_ready() {
    auto answer = receive_answer(opening());
    if (answer)
      opened_ = Answer{*std::move(answer)};
    else
      opened_ = tl::unexpected<Error>(std::move(answer).error());
    if (!opened_) process_.reset();
    KP_TRY_VOID(opened_);
    ready_ = true;
    for (const Request& load : loaded_) KP_TRY_VOID(exchange(load));
    return {};
  }

  Result<Answer> exchange(const Request& request) {
    if (carries_arrays(request)) return exchange_arrays(request);
    KP_TRY(Json body, send_and_receive(request, request.body, request.descriptors));
    return Answer{std::move(body)};
  }

  Result<Answer> exchange_arrays(const Request& request) {
    KP_TRY(const ArrayFile file, ArrayFile::make(request.arrays));
    Json body = request.body;
    body["arrays"] = file.entries();
    const int beside[] = {file.descriptor()};
    KP_TRY(Json answer, send_and_receive(request, body, beside));
    Result<Tensors> arrays = file.read(answer.value("arrays", Json::array()));
    if (!arrays) return lost(request, arrays.error());
    answer.erase("arrays");
    return Answer{std::move(answer), *std::move(arrays)};
  }

  Result<Json> send_and_receive(const Request& request, const Json& body,
                                std::span<const int> beside) {
    KP_TRY_VOID(send(request, body, beside));
    return receive_answer(request);
  }

  Result<void> send(const Request& request, const Json& body, std::span<const int> beside) {
    const std::string text = body.dump(-1, ' ', true, Json::error_handler_t::replace);
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    if (auto sent = send_bytes(socket_.number(), nonce_, bytes, beside); !sent) {
      if (sent.error().code == ErrorCode::kLimit) return tl::unexpected<Error>(sent.error());
      return lost(request, sent.error());
    }
    return {};
  }

  Result<Json> receive_answer(const Request& request) {
    Result<Json> answer = receive(request.deadline);
    if (!answer) return lost(request, answer.error());
    const auto ok = answer->is_object() ? answer->find("ok") : answer->end();
    if (ok == answer->end() || !ok->is_boolean())
      return lost(request, {ErrorCode::kCorrupt, "an answer without a verdict", {}, {}, {}});
    if (ok->get<bool>()) return answer;
    if (answer->contains("ends")) process_.reset();
    return tl::unexpected<Error>(failure_from(*answer));
  }

  Result<Json> receive(milliseconds deadline) {
    KP_TRY(const ByteFrame frame, receive_bytes(socket_.number(), nonce_, deadline, options_.stop));
    keep_text();
    return parse_json({reinterpret_cast<const char*>(frame.body.data()), frame.body.size()});
  }

  /// The process is of no use any more; why, in words for the user.
  tl::unexpected<Error> lost(const Request& request, const Error& error) {
    std::optional<Process::End> end;
    if (error.code == ErrorCode::kIo) end = process_->wait(kDeath);
    keep_text();
    process_.reset();
    const std::string during = fmt::format("while it was asked to {}", verb_of(request));
    if (options_.stop != nullptr && options_.stop->requested())
      return fail(ErrorCode::kTimeout, fmt::format("stopped {}", during));
    if (error.code == ErrorCode::kTimeout) {
      return fail(ErrorCode::kTimeout,
                  fmt::format("PyTorch's process did not answer within {} s {}; it was ended",
                              request.deadline.count() / 1000, during),
                  "use smaller sizes");
    }
    if (end && end->signal == kKilled) {
      return fail(ErrorCode::kLimit,
                  fmt::format("PyTorch's process was killed {}: out of memory?", during),
                  "use smaller sizes");
    }
    const std::string how = !end               ? error.message
                            : end->signal != 0 ? fmt::format("signal {}", end->signal)
                                               : fmt::format("status {}", end->code);
    return fail(ErrorCode::kUnavailable,
                fmt::format("PyTorch's process ended {} ({}){}", during, how, last_words()));
  }

  void keep_text() {
    printed_ += process_->text();
    if (printed_.size() > kLongestText) printed_.erase(0, printed_.size() - kLongestText);
  }
  std::string last_words() const {
    const std::vector<std::string_view> lines = split_lines(trim(printed_));
    return lines.empty() ? "" : fmt::format(", having said: {}", lines.back());
  }

  WorkerOptions options_;
  std::string python_;
  Role role_;
  std::optional<Process> process_;
  Descriptor socket_;
  std::uint64_t nonce_ = 0;
  Result<Answer> opened_;
  bool ready_ = false;  // it has answered to "open"
  std::vector<Request> loaded_;
  std::string printed_;  // the end of what it printed: for people, never read by us
};

}  // namespace

Result<std::unique_ptr<Conversation>> live_conversation(const WorkerOptions& options, Role role) {
  KP_TRY(std::string python, find_python(options.python));
  return std::make_unique<Live>(options, std::move(python), role);
}

}  // namespace kp::torch
