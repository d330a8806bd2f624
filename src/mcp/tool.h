// SPDX-License-Identifier: Apache-2.0
// One verb that a client can call. tools/ holds one file for each, catalog.cc lists them.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "base/stop.h"

namespace kp::mcp {

/// What a tool may use while it runs.
class Call {
 public:
  virtual ~Call() = default;
  /// Requested when the client cancels the call, and when the server ends.
  virtual const StopFlag& stop() const = 0;
  /// Tells the client how far the call is, if it wants to know. `done` must grow.
  virtual void progress(double done, std::optional<double> total, std::string_view message) = 0;
  /// The path when it lies within the roots that the client grants, symbolic links followed; it
  /// need not exist. kInvalidInput names the roots.
  virtual Result<Path> admit(const std::string& path) = 0;
  /// `other` is requested together with stop(), from now until this is called with null: for what
  /// outlives the call and knows another flag. Must be called with null before `other` ends.
  virtual void also_stop(StopFlag* other) = 0;
};

struct Tool {
  std::string name, title, description;
  nlohmann::json input, output;  // JSON Schemas, of objects
  bool read_only = false;        // changes nothing on disk
  /// Waits behind other slow ones, all in one thread: it uses the device. What such a tool owns is
  /// destroyed in that thread, too.
  bool slow = false;
  /// The arguments fit `input`; the answer must fit `output`. An Error is shown to the model.
  std::function<Result<nlohmann::json>(const nlohmann::json& arguments, Call& call)> run;
};

}  // namespace kp::mcp
