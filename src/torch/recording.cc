// SPDX-License-Identifier: Apache-2.0
#include "torch/recording.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "base/hash.h"
#include "base/text.h"
#include "model/json.h"
#include "model/json_reader.h"
#include "torch/client.h"
#include "torch/protocol.h"

namespace kp::torch {
namespace {

using Json = nlohmann::json;

std::string hash_of(const Tensors& arrays) {
  std::string bytes;
  for (const auto& [name, values] : arrays) {
    bytes += fmt::format("{} {}\n", name, values.size());
    const std::size_t before = bytes.size();
    bytes.resize(before + values.size() * sizeof(double));
    if (!values.empty())
      std::memcpy(bytes.data() + before, values.data(), values.size() * sizeof(double));
  }
  return to_hex(hash_text(bytes));
}

/// By which a request is found again, on any machine.
Json told(const Request& request) {
  Json body = request.body;
  if (body.contains("file")) body["file"] = Path(body.value("file", "")).filename().string();
  if (body.contains("text")) body["text"] = to_hex(hash_text(body.value("text", "")));
  if (body.contains("arrays")) body["arrays"] = hash_of(request.arrays);
  return body;
}

Json json_of(const Tensors& arrays) {
  Json all = Json::object();
  for (const auto& [name, values] : arrays) {
    Json& list = all[name] = Json::array();
    for (const double value : values) list.push_back(json_number(value));
  }
  return all;
}

Tensors arrays_from(const Json& json, JsonReader::Fault& fault) {
  Tensors arrays;
  for (const auto& [name, list] : json.items()) {
    for (const Json& value : list) {
      const Json whole = {{"value", value}};
      arrays[name].push_back(JsonReader(whole, name, fault).number("value"));
    }
    arrays.try_emplace(name);
  }
  return arrays;
}

class Recorder final : public Conversation {
 public:
  Recorder(std::unique_ptr<Conversation> live, Path file)
      : live_(std::move(live)), file_(std::move(file)) {}

  Result<Answer> ask(const Request& request) override {
    Result<Answer> answer = live_->ask(request);
    Json line = {{"request", told(request)}};
    if (answer) {
      line["answer"] = answer->body;
      if (!answer->arrays.empty()) line["arrays"] = json_of(answer->arrays);
    } else {
      const std::string kind(kind_of(answer.error().code));
      // What the machine did wrong would not happen again.
      if (kind.empty()) return answer;
      line["error"] = {{"ok", false},
                       {"kind", kind},
                       {"message", answer.error().message},
                       {"hint", answer.error().hint}};
    }
    lines_ += line.dump(-1, ' ', true) + "\n";
    KP_TRY_VOID(write_file(file_, lines_));
    return answer;
  }

 private:
  std::unique_ptr<Conversation> live_;
  Path file_;
  std::string lines_;
};

class Replay final : public Conversation {
 public:
  Replay(Path file, std::map<std::string, Json> lines)
      : file_(std::move(file)), lines_(std::move(lines)) {}

  Result<Answer> ask(const Request& request) override {
    const Json key = told(request);
    const auto found = lines_.find(key.dump());
    if (found == lines_.end()) {
      return fail(ErrorCode::kNotFound,
                  fmt::format("{} has no answer to {}", file_.string(), key.dump()),
                  "record it anew where PyTorch is: UPDATE_GOLDENS=1");
    }
    const Json& line = found->second;
    if (line.contains("error")) return tl::unexpected<Error>(failure_from(line["error"]));
    JsonReader::Fault fault;
    Answer answer{line.value("answer", Json::object()), {}};
    answer.arrays = arrays_from(line.value("arrays", Json::object()), fault);
    return value_or_fault(std::move(answer), std::move(fault));
  }

 private:
  Path file_;
  std::map<std::string, Json> lines_;
};

}  // namespace

Result<std::unique_ptr<Worker>> replayed_worker(const Path& recording) {
  KP_TRY(const std::string text, read_text(recording));
  std::map<std::string, Json> lines;
  std::string device;
  for (const std::string_view line : split_lines(text)) {
    auto json = parse_json(line).within(recording.string());
    if (!json) return tl::unexpected<Error>(std::move(json).error());
    if (!json->is_object() || !json->value("request", Json()).is_object())
      return fail(ErrorCode::kCorrupt,
                  fmt::format("{}: a line has no request", recording.string()));
    const Json& request = (*json)["request"];
    if (request.value("do", "") == "open") device = request.value("device", "");
    lines[request.dump()] = *std::move(json);
  }
  return make_client(std::make_unique<Replay>(recording, std::move(lines)), device, true);
}

Result<std::unique_ptr<Worker>> recorded_worker(const WorkerOptions& options,
                                                const Path& recording) {
  KP_TRY(std::unique_ptr<Conversation> live, live_conversation(options));
  return make_client(std::make_unique<Recorder>(std::move(live), recording), options.device);
}

Result<std::unique_ptr<Worker>> worker_for_tests(const Path& recording) {
  if (std::getenv("UPDATE_GOLDENS") == nullptr) return replayed_worker(recording);
  auto live = recorded_worker({}, recording);
  const bool none = !live && live.error().code == ErrorCode::kUnavailable;
  return none ? replayed_worker(recording) : std::move(live);
}

}  // namespace kp::torch
