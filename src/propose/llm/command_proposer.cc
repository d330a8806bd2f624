// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/child.h"
#include "base/text.h"
#include "propose/llm/model_proposer.h"
#include "propose/llm/prompt.h"
#include "propose/llm/quoted.h"
#include "propose/llm/reply.h"

namespace kp::propose {
namespace {

constexpr int kMostFailures = 3;                 // in a row: then it is the command, not the kernel
constexpr std::size_t kMostMessage = 300;        // bytes of its standard error that are told
constexpr std::uint64_t kMostOutput = 8u << 20;  // bytes of a reply

class CommandProposer final : public Proposer {
 public:
  CommandProposer(std::string command, const ProposerOptions& options,
                  std::chrono::milliseconds deadline)
      : name_("command:" + command),
        command_(std::move(command)),
        options_(options),
        deadline_(deadline) {}

  std::string_view name() const override { return name_; }

  Result<std::vector<Proposal>> propose(const Request& request) override {
    // It has no tools to call, so that what it is told has to stand in the prompt.
    const PromptOptions shown{options_.arm, Invocation::kProactive, options_.memory};
    KP_TRY(const auto prompt, write_prompt(request, shown));
    KP_TRY(const ChildExit exit, run(to_text(prompt), request.stop));
    if (exit.stopped) return fail(ErrorCode::kUnavailable, "the command was interrupted");
    std::string why = failure_of(exit);
    if (!why.empty()) return failed(request, why);
    failures_ = 0;
    const Diagnosis* named = options_.arm == Arm::kTools ? request.diagnosis : nullptr;
    ParsedReply parsed =
        parse_reply(exit.output, {request.task, request.parent, named, request.most});
    if (auto* proposals = std::get_if<std::vector<Proposal>>(&parsed)) return std::move(*proposals);
    note(request, std::get<Fault>(parsed).sentence);
    return std::vector<Proposal>{};
  }

  /// A reply that could not be used says nothing of the next one.
  bool exhausted(const Request&) const override { return false; }

 private:
  Result<ChildExit> run(std::string prompt, const StopFlag* stop) const {
    ChildSpec spec;
    spec.command = {"sh", "-c", command_};
    spec.input = std::move(prompt);
    spec.inherit_environment = true;
    spec.deadline = deadline_;
    spec.output_bytes = kMostOutput;
    spec.stop = stop;
    return run_child(spec);
  }

  std::string failure_of(const ChildExit& exit) const {
    if (exit.timed_out)
      return fmt::format("took more than {} s", std::chrono::duration<double>(deadline_).count());
    const std::string said = on_one_line(exit.error_output, kMostMessage);
    const std::string told = said.empty() ? "" : ": " + said;
    if (exit.signal != 0) return fmt::format("was ended by signal {}{}", exit.signal, told);
    if (!exit.ok()) return fmt::format("ended with status {}{}", exit.code, told);
    return trim(exit.output).empty() ? "printed nothing" + told : "";
  }

  void note(const Request& request, const std::string& why) const {
    if (!request.notes) return;
    request.notes->push_back(fmt::format("ask {}: no proposal by {}: {}", request.ask, name_, why));
  }

  Result<std::vector<Proposal>> failed(const Request& request, const std::string& why) {
    note(request, why);
    if (++failures_ < kMostFailures) return std::vector<Proposal>{};
    return fail(
        ErrorCode::kUnavailable,
        fmt::format("the command `{}` failed {} times in a row; it {}", command_, failures_, why),
        "it gets the prompt on standard input and prints its reply on standard output; try it "
        "with the output of `kernelpro ask`");
  }

  std::string name_, command_;
  ProposerOptions options_;
  std::chrono::milliseconds deadline_;
  int failures_ = 0;
};

}  // namespace

std::unique_ptr<Proposer> make_command_proposer(std::string command, const ProposerOptions& options,
                                                std::chrono::milliseconds deadline) {
  return std::make_unique<CommandProposer>(std::move(command), options, deadline);
}

}  // namespace kp::propose
