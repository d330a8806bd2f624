// SPDX-License-Identifier: Apache-2.0
#include "torch/guest.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "torch/conversation.h"
#include "torch/protocol.h"

namespace kp::torch {
namespace {

using std::chrono::milliseconds;
using Json = nlohmann::json;

constexpr milliseconds kGuestOpening{60'000}, kGuestLoading{60'000};
constexpr milliseconds kBuilding{300'000};  // nvcc takes a minute for PyTorch's headers
constexpr milliseconds kGuestRunning{120'000};
constexpr double kTimingBudget = 10;  // s; runs end early then
constexpr int kWarmups = 3;
constexpr std::uint64_t kLongestCandidate = 4u << 20;  // bytes
// One candidate lives in a guest, so its names need not tell it from others.
constexpr const char *kProblem = "problem", *kCandidate = "candidate";

Result<Descriptor> shared_file() {
  Descriptor file(::memfd_create("kernelpro-outputs", MFD_CLOEXEC));
  if (file.open()) return file;
  return fail(ErrorCode::kLimit,
              fmt::format("no shared memory for outputs: {}", std::strerror(errno)),
              "close other programs");
}

Json body_of(const char* verb, const Draw& draw) {
  return {{"do", verb},
          {"candidate", kCandidate},
          {"constants", draw.constants},
          {"seed", draw.seed},
          {"redrawn", draw.redrawn}};
}

class LiveGuest final : public Guest {
 public:
  explicit LiveGuest(std::unique_ptr<Conversation> conversation)
      : conversation_(std::move(conversation)) {}

  Result<void> open(const std::string& device) {
    KP_TRY(const Answer answer, conversation_->ask({.body = {{"do", "open"}, {"device", device}},
                                                    .deadline = kGuestOpening}));
    return {};
  }

  Result<void> load(const Path& problem, const Path& candidate) {
    KP_TRY_VOID(tell("load", problem, kGuestLoading));
    return tell("adopt", candidate, kBuilding);
  }

  Result<RawOutputs> run(const Draw& draw) override {
    Json answer;
    return outputs_of(body_of("run", draw), answer);
  }

  Result<GuestTimes> time(const Draw& draw, std::uint64_t last, int runs) override {
    Json body = body_of("time", draw);
    body.erase("seed");
    body["seeds"] = {draw.seed, last};
    body["warmups"] = kWarmups;
    body["runs"] = runs;
    body["budget"] = kTimingBudget;
    GuestTimes times;
    Json answer;
    KP_TRY(times.last, outputs_of(body, answer));
    KP_TRY(times.nanoseconds, nanoseconds_from(answer));
    return times;
  }

  Result<double> burst(const Draw& draw, int runs) override {
    Json body = body_of("burst", draw);
    body["runs"] = runs;
    const auto begin = std::chrono::steady_clock::now();
    KP_TRY(const Answer answer, conversation_->ask({.body = body, .deadline = kGuestRunning}));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  Result<std::vector<GuestKernel>> kernels(const Draw& draw) override {
    KP_TRY(const Answer answer,
           conversation_->ask({.body = body_of("kernels", draw), .deadline = kGuestRunning}));
    return kernels_from(answer.body);
  }

 private:
  Result<void> tell(const char* verb, const Path& file, milliseconds deadline) {
    KP_TRY(const std::string text, read_text(file, kLongestCandidate));
    KP_TRY(const Answer answer, conversation_
                                    ->ask({.body = {{"do", verb},
                                                    {"problem", kProblem},
                                                    {"candidate", kCandidate},
                                                    {"file", file.filename().string()},
                                                    {"text", text}},
                                           .deadline = deadline})
                                    .within(file.filename().string()));
    return {};
  }

  /// Of a request that gives some; the rest of what is answered comes to stand in `answered`.
  Result<RawOutputs> outputs_of(const Json& body, Json& answered) {
    RawOutputs made;
    KP_TRY(made.file, shared_file());
    KP_TRY(Answer answer,
           conversation_->ask(
               {.body = body, .deadline = kGuestRunning, .descriptors = {made.file.number()}}));
    KP_TRY(made.outputs, raw_outputs_from(answer.body));
    answered = std::move(answer.body);
    // Whoever compares them needs the GPU's memory.
    KP_TRY(const Answer freed, conversation_->ask({.body = {{"do", "free"}}}));
    return made;
  }

  std::unique_ptr<Conversation> conversation_;
};

}  // namespace

Result<std::unique_ptr<Guest>> Guest::start(const WorkerOptions& options, const Path& problem,
                                            const Path& candidate) {
  KP_TRY(auto conversation, live_conversation(options, Role::kGuest));
  auto guest = std::make_unique<LiveGuest>(std::move(conversation));
  KP_TRY_VOID(guest->open(options.device));
  KP_TRY_VOID(guest->load(problem, candidate));
  return std::unique_ptr<Guest>(std::move(guest));
}

}  // namespace kp::torch
