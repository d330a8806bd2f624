// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/model_proposer.h"

#include "propose/llm/conversation.h"
#include "propose/llm/prompt.h"
#include "propose/llm/reply_fixture.h"

namespace kp::propose {
namespace {

/// Gives its replies in order and keeps what it was asked.
class FakeChat final : public llm::Chat {
 public:
  std::string_view name() const override { return "fake:model"; }
  Result<llm::Reply> complete(const llm::Prompt& prompt, const StopFlag&) override {
    prompts.push_back(prompt);
    if (replies.empty()) return fail(ErrorCode::kLimit, "no reply is left");
    llm::Reply reply = replies.front();
    replies.erase(replies.begin());
    return reply;
  }
  void says(const std::string& text, llm::StopReason stop = llm::StopReason::kEnd) {
    llm::Reply reply;
    reply.message = {llm::Speaker::kAssistant, text, {}, {}, {}};
    reply.stop = stop;
    replies.push_back(reply);
  }
  void calls(const std::string& tool, const nlohmann::json& arguments) {
    llm::Reply reply;
    reply.message.speaker = llm::Speaker::kAssistant;
    reply.message.calls = {{"call_1", tool, arguments}};
    reply.stop = llm::StopReason::kToolUse;
    reply.usage = {.input = 100, .output = 100};
    replies.push_back(reply);
  }

  std::vector<llm::Reply> replies;
  std::vector<llm::Prompt> prompts;
};

class FakeCode final : public CodeSource {
 public:
  Result<std::vector<CodeHit>> search(const std::string& query, int) override {
    return std::vector<CodeHit>{{"cute/copy.hpp", 12, "struct Copy_Atom;  // " + query}};
  }
  Result<std::string> read(const std::string& path, int first, int last) override {
    if (path != "cute/copy.hpp") return fail(ErrorCode::kNotFound, path + " is not there");
    return "lines " + std::to_string(first) + " to " + std::to_string(last);
  }
};

class ModelProposerTest : public ReplyFixture {
 protected:
  void SetUp() override {
    ReplyFixture::SetUp();
    evaluation_.outcome = Measured{};
    auto chat = std::make_unique<FakeChat>();
    chat_ = chat.get();
    owned_ = std::move(chat);
  }
  Request request() {
    Request request{task_};
    request.parent = &parent_;
    request.diagnosis = &diagnosis_;
    request.evaluation = &evaluation_;
    request.notes = &notes_;
    request.ask = 4;
    return request;
  }
  Proposer* proposer(const ProposerOptions& options = {}, bool code = false) {
    auto source = code ? std::make_unique<FakeCode>() : nullptr;
    writer_ = make_model_proposer(std::move(owned_), std::move(source), options);
    return writer_.get();
  }
  static std::string code(const std::string& factor) {
    return "idea: multiplies\nfollows: unroll\n```cuda\n" + version(factor) + "```\n";
  }
  const std::string& last_answer(std::size_t prompt) const {
    return chat_->prompts[prompt].messages.back().results.front().text;
  }

  Evaluation evaluation_;
  std::vector<std::string> notes_;
  FakeChat* chat_ = nullptr;
  std::unique_ptr<llm::Chat> owned_;  // until a proposer has it
  std::unique_ptr<Proposer> writer_;
};

TEST_F(ModelProposerTest, makes_a_proposal_of_a_reply) {
  chat_->says(code("2.0f"));
  const auto proposals = proposer()->propose(request());
  ASSERT_TRUE(proposals) << proposals.error().text();
  ASSERT_EQ(proposals->size(), 1u);
  EXPECT_EQ((*proposals)[0].source, version("2.0f"));
  EXPECT_EQ((*proposals)[0].tool, "warp_stall");
  EXPECT_TRUE(notes_.empty());
}

TEST_F(ModelProposerTest, gives_a_bad_reply_one_repair_turn_that_quotes_the_fault) {
  chat_->says("I would unroll the loop.");
  chat_->says(code("2.0f"));
  EXPECT_EQ(proposer()->propose(request())->size(), 1u);
  const llm::Message& turn = chat_->prompts[1].messages.back();
  EXPECT_EQ(turn.speaker, llm::Speaker::kUser);
  EXPECT_NE(turn.text.find("| the reply has no code block"), std::string::npos) << turn.text;
}

TEST_F(ModelProposerTest, yields_nothing_but_a_note_after_two_bad_replies) {
  chat_->says("no");
  chat_->says("no");
  const auto proposals = proposer()->propose(request());
  ASSERT_TRUE(proposals);
  EXPECT_TRUE(proposals->empty());
  EXPECT_FALSE(writer_->exhausted(request())) << "the next reply may be better";
  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_NE(notes_[0].find("ask 4"), std::string::npos);
  EXPECT_EQ(chat_->prompts.size(), 2u);
}

TEST_F(ModelProposerTest, takes_a_refusal_for_an_answer) {
  chat_->says("I must decline.", llm::StopReason::kRefusal);
  EXPECT_TRUE(proposer()->propose(request())->empty());
  EXPECT_NE(notes_.at(0).find("declined"), std::string::npos);
}

TEST_F(ModelProposerTest, passes_on_what_the_chat_cannot_do) {
  const auto proposals = proposer()->propose(request());
  ASSERT_FALSE(proposals);
  EXPECT_EQ(proposals.error().code, ErrorCode::kLimit);
}

TEST_F(ModelProposerTest, lets_the_model_diagnose_when_it_is_reactive) {
  chat_->calls("diagnose", nlohmann::json::object());
  chat_->calls("diagnose", {{"tool", "warp_stall"}});
  chat_->calls("diagnose", {{"tool", "crystal_ball"}});
  chat_->says(code("2.0f"));
  ProposerOptions options;
  options.invocation = Invocation::kReactive;
  EXPECT_EQ(proposer(options)->propose(request())->size(), 1u);
  ASSERT_EQ(chat_->prompts.size(), 4u);
  EXPECT_EQ(to_text(chat_->prompts[0]).find("warps wait for memory"), std::string::npos);
  EXPECT_NE(last_answer(1).find("warp_stall (found something)"), std::string::npos);
  EXPECT_NE(last_answer(2).find("warps wait for memory"), std::string::npos);
  EXPECT_TRUE(chat_->prompts[3].messages.back().results.front().failed);
}

TEST_F(ModelProposerTest, is_proactive_by_default_and_then_has_no_tool) {
  chat_->says(code("2.0f"));
  ASSERT_TRUE(proposer()->propose(request()));
  EXPECT_TRUE(chat_->prompts[0].tools.empty());
  EXPECT_NE(to_text(chat_->prompts[0]).find("warps wait for memory"), std::string::npos);
}

TEST_F(ModelProposerTest, lets_the_model_search_code_and_remembers_what_it_read) {
  chat_->calls("search_code", {{"query", "tma load"}});
  chat_->calls("read_code", {{"path", "cute/copy.hpp"}, {"first", 10}});
  chat_->calls("read_code", {{"path", "../../etc/passwd"}});
  chat_->says(code("2.0f"));
  const auto proposals = proposer({}, true)->propose(request());
  ASSERT_TRUE(proposals);
  EXPECT_EQ(proposals->at(0).sources, std::vector<std::string>{"cute/copy.hpp"});
  EXPECT_NE(last_answer(1).find("cute/copy.hpp:12\n| struct Copy_Atom;  // tma load"),
            std::string::npos);
  EXPECT_NE(last_answer(2).find("| lines 10 to 309"), std::string::npos) << last_answer(2);
}

TEST_F(ModelProposerTest, answers_calls_that_make_no_sense) {
  chat_->calls("delete_everything", nlohmann::json::object());
  chat_->calls("search_code", "not an object");
  chat_->calls("search_code", {{"words", 1}});
  chat_->says(code("2.0f"));
  EXPECT_EQ(proposer({}, true)->propose(request())->size(), 1u);
  for (std::size_t turn = 1; turn < 4; ++turn) {
    EXPECT_TRUE(chat_->prompts[turn].messages.back().results.front().failed) << last_answer(turn);
  }
}

TEST_F(ModelProposerTest, ends_turns_that_lead_nowhere) {
  for (int i = 0; i < 60; ++i) chat_->calls("search_code", {{"query", "x"}});
  EXPECT_TRUE(proposer({}, true)->propose(request())->empty());
  EXPECT_LE(chat_->prompts.size(), 24u);
  EXPECT_NE(notes_.at(0).find("limit"), std::string::npos);
}

TEST_F(ModelProposerTest, writes_seeds_at_each_temperature_and_then_no_more) {
  ProposerOptions options;
  options.seeds = 2;
  options.temperatures = {0.2, 1};
  Proposer* writer = proposer(options);
  std::vector<double> temperatures;
  std::vector<Attempt> attempts;
  for (int ask = 0; ask < 6; ++ask) {
    chat_->says("idea: v\n```\n" + version(std::to_string(ask + 2) + ".0f") + "```\n");
    Request seed{task_};
    seed.role = search::Role::kSeed;
    seed.attempts = attempts;
    const auto proposals = *writer->propose(seed);
    EXPECT_EQ(writer->exhausted(seed), proposals.empty());
    if (proposals.empty()) break;
    temperatures.push_back(*chat_->prompts.back().sampling.temperature);
    attempts.push_back({"id", "", {}, "v", "measured: 1 us", {}});
  }
  EXPECT_EQ(temperatures, (std::vector<double>{0.2, 1, 0.2, 1}));
  EXPECT_NE(to_text(chat_->prompts[2]).find("2 versions were tried"), std::string::npos);
}

TEST_F(ModelProposerTest, writes_all_seeds_in_one_ask_when_as_many_are_wanted) {
  ProposerOptions options;
  options.seeds = 3;
  for (int i = 2; i < 5; ++i) chat_->says("```\n" + version(std::to_string(i) + ".0f") + "```\n");
  Request seed{task_};
  seed.role = search::Role::kSeed;
  seed.most = 8;
  EXPECT_EQ(proposer(options)->propose(seed)->size(), 3u);
}

class CommandTest : public ModelProposerTest {
 protected:
  Result<std::vector<Proposal>> ask(Proposer& proposer) { return proposer.propose(request()); }
};

TEST_F(CommandTest, gives_the_prompt_to_a_program_and_reads_its_reply) {
  const std::string seen = (folder_.path() / "prompt.txt").string();
  ASSERT_TRUE(write_file(folder_.path() / "reply.txt", code("2.0f")));
  const auto command = make_command_proposer(
      "cat > '" + seen + "'; cat '" + (folder_.path() / "reply.txt").string() + "'", {});
  const auto proposals = ask(*command);
  ASSERT_TRUE(proposals) << proposals.error().text();
  ASSERT_EQ(proposals->size(), 1u);
  EXPECT_EQ(proposals->at(0).source, version("2.0f"));
  EXPECT_EQ(*read_text(seen), to_text(*write_prompt(request())));
}

TEST_F(CommandTest, is_an_error_after_three_failures_in_a_row) {
  const auto command = make_command_proposer("echo out of luck >&2; exit 3", {});
  EXPECT_TRUE(ask(*command)->empty());
  EXPECT_TRUE(ask(*command)->empty());
  const auto third = ask(*command);
  ASSERT_FALSE(third);
  EXPECT_NE(third.error().message.find("out of luck"), std::string::npos);
  EXPECT_NE(notes_.at(0).find("status 3"), std::string::npos);
}

TEST_F(CommandTest, that_prints_nothing_or_takes_too_long_yields_nothing) {
  EXPECT_TRUE(ask(*make_command_proposer("true", {}))->empty());
  EXPECT_NE(notes_.at(0).find("printed nothing"), std::string::npos);
  EXPECT_TRUE(ask(*make_command_proposer("sleep 60", {}, std::chrono::milliseconds(200)))->empty());
  EXPECT_NE(notes_.at(1).find("took more than"), std::string::npos);
}

TEST_F(CommandTest, ends_when_the_run_is_to_stop) {
  StopFlag stop;
  stop.request();
  Request interrupted = request();
  interrupted.stop = &stop;
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(make_command_proposer("sleep 60", {})->propose(interrupted));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST_F(CommandTest, notes_a_reply_that_cannot_be_used_and_goes_on) {
  const auto command = make_command_proposer("echo no idea", {});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(ask(*command)->empty());
  EXPECT_FALSE(command->exhausted(request()));
  EXPECT_NE(notes_.at(3).find("no code block"), std::string::npos);
}

}  // namespace
}  // namespace kp::propose
