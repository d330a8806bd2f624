// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kp::device::cuda {
namespace {

using std::chrono::milliseconds;
using Json = nlohmann::json;

constexpr milliseconds kOpening{60'000};  // driver and context take 0.3 s; a busy machine longer
constexpr milliseconds kDeath{2'000};     // from the end of its socket to the end of a process
constexpr std::size_t kLongestLastWords = 500;  // of what a dead process had printed

TimedOut timed_out(const Request& request) {
  return {request.phase, static_cast<double>(request.deadline.count()) / 1000, "s",
          "the GPU's process did not answer and was killed"};
}

template <class T>
T member(const Json& body, const char* key, T otherwise) {
  const auto found = body.find(key);
  if (found == body.end()) return otherwise;
  if constexpr (std::is_same_v<T, std::string>) {
    return found->is_string() ? found->get<std::string>() : otherwise;
  } else {
    return found->is_number() ? found->get<T>() : otherwise;
  }
}

Opened opened_from(const Json& body) {
  Opened opened{.name = member(body, "name", std::string("unknown GPU")),
                .uuid = member(body, "uuid", std::string()),
                .attributes = {},
                .memory_bytes = member(body, "memory", std::uint64_t{0}),
                .driver = member(body, "driver", 0),
                .confined = member(body, "confined", std::string("minimal"))};
  const auto attributes = body.find("attributes");
  if (attributes == body.end() || !attributes->is_object()) return opened;
  for (const auto& [key, value] : attributes->items()) {
    const auto number = parse_integer(key);
    if (number && value.is_number_integer())
      opened.attributes[static_cast<int>(*number)] = value.get<int>();
  }
  return opened;
}

Request open_request(const WorkerSpec& spec) {
  const Json::binary_t kernels(std::vector<std::uint8_t>(spec.kernels.begin(), spec.kernels.end()));
  Json readable = Json::array();
  for (const Path& folder : library_folders()) readable.push_back(folder.string());
  return {.body = {{"do", "open"},
                   {"device", spec.gpu},
                   {"kernels", kernels},
                   {"readable", std::move(readable)},
                   {"confine", std::string(name_of(spec.confinement))}},
          .phase = "open",
          .deadline = kOpening};
}

/// The sandbox reports a signal as 128 + signal.
std::string describe(const Process::End& end) {
  constexpr int kSandboxSignal = 128;
  const int signal = end.code > kSandboxSignal ? end.code - kSandboxSignal : end.signal;
  return signal != 0 ? fmt::format("by signal {}", signal)
                     : fmt::format("with status {}", end.code);
}

}  // namespace

Worker::Worker(WorkerSpec spec, std::uint64_t nonce, Process process, Descriptor socket,
               Staging staging)
    : spec_(std::move(spec)),
      nonce_(nonce),
      process_(std::move(process)),
      socket_(std::move(socket)),
      staging_(std::move(staging)) {}

Result<std::unique_ptr<Worker>> Worker::start(const WorkerSpec& spec) {
  KP_TRY(Connection connection, connect_to_child());
  KP_TRY(Staging staging, Staging::make());
  ChildSpec child = confined_worker({spec.program.string(), fmt::format("{}", connection.nonce)},
                                    spec.confinement);
  child.descriptors = {connection.theirs.number(), staging.descriptor()};
  KP_TRY(Process process, Process::start(child));
  connection.theirs.close();  // so that its end is seen here
  std::unique_ptr<Worker> worker(new Worker(spec, connection.nonce, std::move(process),
                                            std::move(connection.ours), std::move(staging)));
  // A failure is found when the answer is asked for.
  if (auto sent = worker->send(open_request(spec)); !sent)
    worker->lose(worker->how_it_died(sent.error()));
  return worker;
}

Result<Opened> Worker::opened() {
  if (opened_) return *opened_;
  const Request request = open_request(spec_);
  const Reply reply = receive(request);
  if (const auto* fault = std::get_if<Fault>(&reply))
    return tl::unexpected<Error>(error_of(*fault, fmt::format("cannot open GPU {}", spec_.gpu)));
  if (std::holds_alternative<TimedOut>(reply)) {
    return fail(ErrorCode::kUnavailable,
                fmt::format("cannot open GPU {}: the driver does not start within {} s", spec_.gpu,
                            kOpening.count() / 1000),
                "run nvidia-smi to see whether the driver works");
  }
  opened_ = opened_from(std::get<Frame>(reply).body);
  return *opened_;
}

Result<void> Worker::send(const Request& request) {
  return send_frame(socket_.number(), nonce_, request.body, request.descriptors);
}

Reply Worker::ask(const Request& request) {
  if (end_) return std::visit([](const auto& end) { return Reply(end); }, *end_);
  if (auto sent = send(request); !sent) return lose(how_it_died(sent.error()));
  return receive(request);
}

Reply Worker::receive(const Request& request) {
  if (end_) return std::visit([](const auto& end) { return Reply(end); }, *end_);
  Result<Frame> frame = receive_frame(socket_.number(), nonce_, request.deadline, spec_.stop);
  if (!frame && stopped()) return lose(Fault{.name = "it was stopped"});
  if (!frame && frame.error().code == ErrorCode::kTimeout) return lose(timed_out(request));
  if (!frame) return lose(how_it_died(frame.error()));
  const auto ok = frame->body.is_object() ? frame->body.find("ok") : frame->body.end();
  if (ok == frame->body.end() || !ok->is_boolean())
    return lose(Fault{.name = "it sent an answer without a verdict"});
  if (ok->get<bool>()) return *std::move(frame);
  Fault fault = fault_from(frame->body);
  if (fault.code == kLaunchTimeout) return lose(timed_out(request));
  return ends_process(fault) ? lose(std::move(fault)) : std::move(fault);
}

Result<Frame> Worker::demand(const Request& request, std::string_view what) {
  Reply reply = ask(request);
  if (auto* frame = std::get_if<Frame>(&reply)) return std::move(*frame);
  if (stopped()) return fail(ErrorCode::kTimeout, fmt::format("stopped: {}", what));
  if (const auto* fault = std::get_if<Fault>(&reply))
    return tl::unexpected<Error>(error_of(*fault, what));
  return fail(
      ErrorCode::kTimeout,
      fmt::format("{}: the GPU did not answer within {} s", what, std::get<TimedOut>(reply).limit),
      "end other programs that use the GPU; run kernelpro doctor");
}

/// Kills the process and remembers why, for all that is still asked.
Reply Worker::lose(Reply end) {
  kill();
  if (const auto* fault = std::get_if<Fault>(&end)) end_ = *fault;
  if (const auto* late = std::get_if<TimedOut>(&end)) end_ = *late;
  return end;
}

/// The process itself knows better than the socket, once it has ended.
Fault Worker::how_it_died(const Error& error) {
  const auto end = error.code == ErrorCode::kIo ? process_.wait(kDeath) : std::nullopt;
  Fault fault{.name = error.message};
  if (end) fault.name = describe(*end);
  std::string said = process_.text();
  said.resize(std::min(said.size(), kLongestLastWords));
  if (const std::string_view text = trim(said); !text.empty())
    fault.name += fmt::format(", having said: {}", text);
  return fault;
}

void Worker::kill() { process_.kill(); }

}  // namespace kp::device::cuda
