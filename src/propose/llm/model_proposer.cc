// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/model_proposer.h"

#include <fmt/format.h>

#include <algorithm>

#include "assets/prompt_reply_repair.h"
#include "propose/llm/conversation.h"
#include "propose/llm/prompt.h"
#include "propose/llm/quoted.h"
#include "propose/llm/reply.h"
#include "propose/llm/template.h"

namespace kp::propose {
namespace {

constexpr std::size_t kMostFault = 800;  // bytes of a fault that is quoted back

void note(const Request& request, std::string text) {
  if (request.notes) request.notes->push_back(std::move(text));
}

bool is_stopped(const Request& request) { return request.stop && request.stop->requested(); }

class ModelProposer final : public Proposer {
 public:
  ModelProposer(std::unique_ptr<llm::Chat> chat, std::unique_ptr<CodeSource> code,
                const ProposerOptions& options, const llm::Metered* meter)
      : chat_(std::move(chat)), code_(std::move(code)), options_(options), meter_(meter) {}

  std::string_view name() const override { return chat_->name(); }

  Result<std::vector<Proposal>> propose(const Request& request) override {
    if (request.role != search::Role::kSeed) return ask(request, request.attempts.size());
    std::vector<Proposal> seeds;
    const auto all = static_cast<std::size_t>(seeds_wanted(options_));
    for (std::size_t k = request.attempts.size(); k < all && !is_stopped(request); ++k) {
      if (static_cast<int>(seeds.size()) >= request.most) break;
      Request one = request;
      one.most = request.most - static_cast<int>(seeds.size());
      if (all > 1) one.most = 1;
      KP_TRY(auto proposals, ask(one, k));
      std::move(proposals.begin(), proposals.end(), std::back_inserter(seeds));
    }
    return seeds;
  }

  /// A reply that could not be used says nothing of the next one.
  bool exhausted(const Request& request) const override {
    return request.role == search::Role::kSeed &&
           request.attempts.size() >= static_cast<std::size_t>(seeds_wanted(options_));
  }

  std::optional<llm::Spending> spent() const override {
    return meter_ ? std::optional(meter_->spent()) : std::nullopt;
  }

 private:
  PromptOptions prompt_options(std::size_t turn) const {
    PromptOptions options{options_.arm, options_.invocation, options_.memory};
    const auto& temperatures = options_.temperatures;
    if (!temperatures.empty()) options.temperature = temperatures[turn % temperatures.size()];
    return options;
  }

  ModelTools tools_for(const Request& request, std::vector<std::string>& sources) {
    ModelTools tools;
    if (code_) tools = make_code_tools(*code_, sources);
    const bool ran = request.evaluation && request.evaluation->measured();
    if (options_.invocation == Invocation::kReactive && ran) {
      if (auto diagnose = make_diagnose_tool(options_.arm, request)) {
        tools.push_back(std::move(diagnose));
      }
    }
    return tools;
  }

  /// `turn` is the number of this ask at its node: temperatures take turns.
  Result<std::vector<Proposal>> ask(const Request& request, std::size_t turn) {
    KP_TRY(auto prompt, write_prompt(request, prompt_options(turn)));
    std::vector<std::string> sources;
    ModelTools tools = tools_for(request, sources);
    Conversation conversation(*chat_, std::move(prompt), tools);
    KP_TRY(auto proposals, converse(conversation, request));
    for (Proposal& proposal : proposals) proposal.sources = sources;
    return proposals;
  }

  Result<std::vector<Proposal>> converse(Conversation& conversation, const Request& request) {
    const StopFlag never;
    const StopFlag& stop = request.stop ? *request.stop : never;
    for (const bool again : {false, true}) {
      KP_TRY(const Said said, conversation.listen(stop));
      if (said.cut) return nothing(request, "it reached the limit of turns or tokens of one ask");
      if (said.stop == llm::StopReason::kRefusal) return nothing(request, "it declined");
      ParsedReply parsed = parse_reply(said.text, reply_to(request));
      if (auto* proposals = std::get_if<std::vector<Proposal>>(&parsed))
        return std::move(*proposals);
      const std::string& fault = std::get<Fault>(parsed).sentence;
      if (again) return nothing(request, "its reply could not be used twice: " + fault);
      conversation.say(
          fill_template(assets::prompt_reply_repair, {{"fault", quoted(fault, kMostFault)}}));
    }
    return std::vector<Proposal>{};
  }

  std::vector<Proposal> nothing(const Request& request, const std::string& why) const {
    note(request, fmt::format("ask {}: no proposal by {}: {}", request.ask, chat_->name(), why));
    return {};
  }

  ReplyTo reply_to(const Request& request) const {
    const Diagnosis* named = options_.arm == Arm::kTools ? request.diagnosis : nullptr;
    return {request.task, request.parent, named, request.most};
  }

  std::unique_ptr<llm::Chat> chat_;
  std::unique_ptr<CodeSource> code_;
  ProposerOptions options_;
  const llm::Metered* meter_;
};

}  // namespace

std::unique_ptr<Proposer> make_model_proposer(std::unique_ptr<llm::Chat> chat,
                                              std::unique_ptr<CodeSource> code,
                                              const ProposerOptions& options,
                                              const llm::Metered* meter) {
  return std::make_unique<ModelProposer>(std::move(chat), std::move(code), options, meter);
}

}  // namespace kp::propose
