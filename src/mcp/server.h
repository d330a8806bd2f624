// SPDX-License-Identifier: Apache-2.0
// A server of the Model Context Protocol over one channel: revision 2025-11-25, and those before it
// back to 2024-11-05, which differ in nothing that is used here.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "mcp/lane.h"
#include "mcp/line_channel.h"
#include "mcp/message.h"
#include "mcp/roots.h"
#include "mcp/tool.h"

namespace kp::mcp {

struct Introduction {
  std::string name, version;
  std::string instructions;  // for the model: how the tools belong together
};

class Server {
 public:
  /// `channel` must outlive the server.
  Server(Introduction introduction, std::vector<Tool> tools, std::vector<Path> roots,
         LineChannel& channel);
  ~Server();

  /// Answers until the client closes its end or `stop` is requested; calls under way are cancelled
  /// then.
  Result<void> serve(const StopFlag& stop);

 private:
  class RunningCall;

  Result<void> handle(const Request& request);
  Result<void> handle(const Notification& notification);
  Result<void> handle(const Response& response);
  Result<void> handle(const Malformed& malformed);
  nlohmann::json initialize(const nlohmann::json& params);
  nlohmann::json list_tools() const;
  Result<void> start_call(const Request& request);
  void finish_call(const Tool& tool, const nlohmann::json& arguments, RunningCall& call);
  void ask_for_roots();
  void cancel(const nlohmann::json& id);

  Introduction introduction_;
  std::vector<Tool> tools_;
  Roots roots_;
  LineChannel& channel_;
  bool client_has_roots_ = false;
  int asked_ = 0;  // requests of ours so far
  std::mutex calling_;
  std::map<std::string, std::shared_ptr<RunningCall>> calls_;  // by the JSON text of their id
  std::optional<Lane> quick_, slow_;
};

}  // namespace kp::mcp
