// SPDX-License-Identifier: Apache-2.0
#include "mcp/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "mcp/schema.h"

namespace kp::mcp {
namespace {

using nlohmann::json;

// Newest first.
constexpr std::array<std::string_view, 4> kRevisions = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                        "2024-11-05"};
// How long a call waits for the client to say which folders it grants.
constexpr std::chrono::seconds kRootsPatience{5};

const Tool* find(const std::vector<Tool>& tools, const std::string& name) {
  const auto found = std::find_if(tools.begin(), tools.end(),
                                  [&name](const Tool& tool) { return tool.name == name; });
  return found == tools.end() ? nullptr : &*found;
}

json content(const std::string& text) { return json::array({{{"type", "text"}, {"text", text}}}); }

/// What went wrong is for the model to read, so it is a result, not a fault of the protocol.
json failed_result(const Error& error) {
  return {{"content", content(error.text())}, {"isError", true}};
}

json result_of(const Result<json>& answer) {
  if (!answer) return failed_result(answer.error());
  return {{"content", content(answer->dump(2, ' ', false, json::error_handler_t::replace))},
          {"structuredContent", *answer},
          {"isError", false}};
}

}  // namespace

/// One tools/call on its way.
class Server::RunningCall : public Call {
 public:
  RunningCall(Server& server, json id, json token)
      : server_(server), id_(std::move(id)), token_(std::move(token)) {}

  const StopFlag& stop() const override { return stop_; }
  void progress(double done, std::optional<double> total, std::string_view message) override {
    if (token_.is_null() || stop_.requested()) return;
    json params = {{"progressToken", token_}, {"progress", done}, {"message", message}};
    if (total) params["total"] = *total;
    // A client that is gone is noticed where its next message is read.
    (void)server_.channel_.write(notification("notifications/progress", std::move(params)));
  }
  Result<Path> admit(const std::string& path) override {
    return server_.roots_.admit(path, kRootsPatience);
  }
  void also_stop(StopFlag* other) override {
    const std::lock_guard lock(cancelling_);
    other_ = other;
    if (other_ && stop_.requested()) other_->request();
  }
  void cancel() {
    const std::lock_guard lock(cancelling_);
    stop_.request();
    if (other_) other_->request();
  }
  const json& id() const { return id_; }

 private:
  Server& server_;
  json id_, token_;
  StopFlag stop_;
  std::mutex cancelling_;
  StopFlag* other_ = nullptr;
};

Server::Server(Introduction introduction, std::vector<Tool> tools, std::vector<Path> roots,
               LineChannel& channel)
    : introduction_(std::move(introduction)),
      tools_(std::move(tools)),
      roots_(std::move(roots)),
      channel_(channel),
      quick_(std::in_place),
      slow_(std::in_place) {}

Server::~Server() {
  quick_.reset();
  slow_->add([this] { tools_.clear(); });
  slow_.reset();
}

Result<void> Server::serve(const StopFlag& stop) {
  Result<void> served;
  while (served) {
    auto line = channel_.read(stop);
    if (!line) {
      served = tl::unexpected<Error>(std::move(line).error());
    } else if (!*line) {
      break;
    } else {
      served = std::visit([this](const auto& message) { return handle(message); },
                          parse_message(**line));
    }
  }
  const std::lock_guard lock(calling_);
  for (const auto& [id, call] : calls_) call->cancel();
  return served;
}

Result<void> Server::handle(const Request& request) {
  if (request.method == "tools/call") return start_call(request);
  if (request.method == "initialize") {
    return channel_.write(response_to(request.id, initialize(request.params)));
  }
  if (request.method == "ping") return channel_.write(response_to(request.id, json::object()));
  if (request.method == "tools/list") return channel_.write(response_to(request.id, list_tools()));
  return channel_.write(failure_of(
      request.id, {FaultCode::kMethodNotFound, fmt::format("no method {}", request.method)}));
}

Result<void> Server::handle(const Notification& notification) {
  if (notification.method == "notifications/cancelled") {
    cancel(notification.params.value("requestId", json()));
  } else if (notification.method == "notifications/initialized" ||
             notification.method == "notifications/roots/list_changed") {
    ask_for_roots();
  }
  return {};
}

Result<void> Server::handle(const Response& response) {
  roots_.grant(response.result);  // the only thing that is ever asked
  return {};
}

Result<void> Server::handle(const Malformed& malformed) {
  return channel_.write(failure_of(malformed.id, malformed.fault));
}

json Server::initialize(const json& params) {
  const json capabilities = params.value("capabilities", json::object());
  client_has_roots_ = capabilities.is_object() && capabilities.contains("roots");
  const json wanted = params.value("protocolVersion", json());
  const bool known = std::find(kRevisions.begin(), kRevisions.end(), wanted) != kRevisions.end();
  return {{"protocolVersion", known ? wanted : json(kRevisions.front())},
          {"capabilities", {{"tools", {{"listChanged", false}}}}},
          {"serverInfo", {{"name", introduction_.name}, {"version", introduction_.version}}},
          {"instructions", introduction_.instructions}};
}

json Server::list_tools() const {
  json listed = json::array();
  for (const Tool& tool : tools_) {
    listed.push_back(
        {{"name", tool.name},
         {"title", tool.title},
         {"description", tool.description},
         {"inputSchema", tool.input},
         {"outputSchema", tool.output},
         {"annotations", {{"readOnlyHint", tool.read_only}, {"openWorldHint", false}}}});
  }
  return {{"tools", listed}};
}

Result<void> Server::start_call(const Request& request) {
  const json name = request.params.value("name", json());
  const Tool* tool = name.is_string() ? find(tools_, name.get<std::string>()) : nullptr;
  if (!tool) {
    return channel_.write(
        failure_of(request.id, {FaultCode::kInvalidParams, "no tool " + name.dump()}));
  }
  json arguments = request.params.value("arguments", json::object());
  if (auto fits = check_schema(arguments, tool->input); !fits) {
    return channel_.write(response_to(request.id, failed_result(fits.error())));
  }
  const json about = request.params.value("_meta", json::object());
  const json token = about.is_object() ? about.value("progressToken", json()) : json();
  auto call = std::make_shared<RunningCall>(*this, request.id, token);
  {
    const std::lock_guard lock(calling_);
    calls_[request.id.dump()] = call;
  }
  (tool->slow ? *slow_ : *quick_).add([this, tool, arguments = std::move(arguments), call] {
    finish_call(*tool, arguments, *call);
  });
  return {};
}

void Server::finish_call(const Tool& tool, const json& arguments, RunningCall& call) {
  if (!call.stop().requested()) {
    const auto answer = tool.run(arguments, call);
    // Whoever cancelled wants no answer.
    if (!call.stop().requested()) {
      (void)channel_.write(response_to(call.id(), result_of(answer)));
    }
  }
  const std::lock_guard lock(calling_);
  calls_.erase(call.id().dump());
}

void Server::ask_for_roots() {
  if (!client_has_roots_) return;
  roots_.expect();
  (void)channel_.write(request(fmt::format("roots-{}", ++asked_), "roots/list", json::object()));
}

void Server::cancel(const json& id) {
  const std::lock_guard lock(calling_);
  if (const auto call = calls_.find(id.dump()); call != calls_.end()) call->second->cancel();
}

}  // namespace kp::mcp
