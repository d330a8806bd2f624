// SPDX-License-Identifier: Apache-2.0
#include "torch/client.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "model/json_reader.h"
#include "torch/protocol.h"

namespace kp::torch {
namespace {

using std::chrono::milliseconds;
using Json = nlohmann::json;

constexpr milliseconds kOpening{60'000}, kLoading{60'000}, kProbing{120'000}, kComputing{120'000};
constexpr milliseconds kAnswering{30'000};        // a verdict wants ten answers and more
constexpr milliseconds kTimingSlack{60'000};      // inputs are made, torch.compile compiles
constexpr std::uint64_t kLongestFile = 4u << 20;  // bytes
constexpr std::size_t kKeyDigits = 12;

Json told(const std::vector<SharedArray>& arrays) {
  Json list = Json::array();
  for (const SharedArray& array : arrays)
    list.push_back({{"name", array.name},
                    {"dtype", array.dtype},
                    {"count", array.count},
                    {"offset", array.offset},
                    {"memory", array.memory}});
  return list;
}

Json told(const RawOutput& output) {
  return {{"name", output.name},
          {"dtype", output.dtype},
          {"shape", output.shape},
          {"offset", output.offset},
          {"bytes", output.bytes}};
}

class Client final : public Worker, public Arbiter {
 public:
  Client(std::unique_ptr<Conversation> conversation, Installation installation)
      : Worker(std::move(installation)), conversation_(std::move(conversation)) {}

  Result<Problem> load(const Path& file) override {
    KP_TRY(const std::string text, read_text(file, kLongestFile));
    const std::string name = file.stem().string();
    std::string key = fmt::format("{}-{}", name, to_hex(hash_text(text)).substr(0, kKeyDigits));
    KP_TRY(const Answer answer,
           conversation_
               ->ask({.body = {{"do", "load"},
                               {"problem", key},
                               {"file", std::filesystem::absolute(file).string()},
                               {"text", text}},
                      .deadline = kLoading})
               .within(file.filename().string()));
    KP_TRY(Constants constants, constants_from(answer.body));
    keys_.push_back(std::move(key));
    return Problem{static_cast<int>(keys_.size()), name, text, std::move(constants)};
  }

  Result<Description> probe(const Probe& probe) override {
    KP_TRY(Json body, request_for("probe", probe.problem, probe.constants));
    body["values"] = probe.values;
    KP_TRY(const Answer answer, ask(probe.problem, {.body = body, .deadline = kProbing}));
    return description_from(answer.body);
  }

  Result<Tensors> draw(const Drawing& drawing) override {
    KP_TRY(Json body, request_for("draw", drawing.problem, drawing.constants));
    body["seed"] = drawing.seed;
    body["arrays"] = Json::array();
    KP_TRY(Answer answer, ask(drawing.problem, {.body = body, .deadline = kComputing}));
    return std::move(answer.arrays);
  }

  Result<Tensors> compute(const Computation& computation) override {
    KP_TRY(Json body, request_for("compute", computation.problem, computation.constants));
    body["arrays"] = Json::array();
    KP_TRY(Answer answer,
           ask(computation.problem,
               {.body = body, .arrays = computation.inputs, .deadline = kComputing}));
    return std::move(answer.arrays);
  }

  Result<Timed> time(const Timing& timing) override {
    KP_TRY(Json body, request_for("time", timing.problem, timing.constants));
    body["modes"] = timing.modes;
    body["seed"] = timing.seed;
    body["warmups"] = timing.warmups;
    body["runs"] = timing.runs;
    body["budget"] = std::chrono::duration<double>(timing.budget).count();
    if (!timing.precision.empty()) body["precision"] = timing.precision;
    const auto modes = static_cast<int>(timing.modes.size());
    KP_TRY(const Answer answer,
           ask(timing.problem, {.body = body, .deadline = modes * (timing.budget + kTimingSlack)}));
    return timed_from(answer.body);
  }

  Arbiter& arbiter() override { return *this; }

  Result<std::vector<OutputDistance>> compare(const RawComparison& comparison) override {
    const Draw& draw = comparison.draw;
    KP_TRY(Json body, request_for("compare", comparison.problem, draw.constants));
    body["seed"] = draw.seed;
    body["redrawn"] = draw.redrawn;
    body["nudge"] = comparison.nudge;
    body["outputs"] = Json::array();
    for (const RawOutput& output : comparison.outputs) body["outputs"].push_back(told(output));
    KP_TRY(const Answer answer,
           ask(comparison.problem,
               {.body = body, .deadline = kComputing, .descriptors = {comparison.file}}));
    return distances_from(answer.body);
  }

  Result<std::uint64_t> answer(const SharedComputation& computation) override {
    KP_TRY(Json body, request_for("answer", computation.problem, computation.constants));
    Request request{.deadline = kAnswering};
    body["memory"] = Json::array();
    for (const SharedMemory& memory : computation.memory) {
      body["memory"].push_back(memory.bytes);
      request.descriptors.push_back(memory.descriptor);
    }
    body["inputs"] = told(computation.inputs);
    body["outputs"] = told(computation.outputs);
    body["numbers"] = Json::object();
    for (const auto& [name, value] : computation.numbers)
      body["numbers"][name] = json_number(value);
    request.body = std::move(body);
    KP_TRY(const Answer answer, ask(computation.problem, request));
    return kept_from(answer.body);
  }

  Result<void> release() override {
    KP_TRY(const Answer answer, conversation_->ask({.body = {{"do", "free"}}}));
    return {};
  }

 private:
  Result<Json> request_for(const char* verb, int problem, const Constants& constants) const {
    if (problem < 1 || static_cast<std::size_t>(problem) > keys_.size()) {
      return fail(ErrorCode::kInvalidInput, fmt::format("no problem has number {}", problem),
                  "load it first");
    }
    return Json{{"do", verb},
                {"problem", keys_[static_cast<std::size_t>(problem) - 1]},
                {"constants", constants}};
  }

  Result<Answer> ask(int problem, const Request& request) {
    const std::string& key = keys_[static_cast<std::size_t>(problem) - 1];
    return conversation_->ask(request).within(key.substr(0, key.size() - kKeyDigits - 1));
  }

  std::unique_ptr<Conversation> conversation_;
  std::vector<std::string> keys_;  // of problem i + 1
};

}  // namespace

Result<std::unique_ptr<Worker>> make_client(std::unique_ptr<Conversation> conversation,
                                            const std::string& device, bool recorded) {
  KP_TRY(const Answer answer,
         conversation->ask({.body = {{"do", "open"}, {"device", device}}, .deadline = kOpening}));
  KP_TRY(Installation installation, installation_from(answer.body));
  installation.recorded = recorded;
  return std::make_unique<Client>(std::move(conversation), std::move(installation));
}

}  // namespace kp::torch
