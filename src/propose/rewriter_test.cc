// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "propose/edit.h"
#include "propose/fake_subject.h"

namespace kp::propose {
namespace {

const char* kSource =
    "/* kernelpro\n"
    "axis   count = 65536\n"
    "input  in : f32[count]\n"
    "output out : f32[count]\n"
    "tune   STEP in 1, 2, 4\n"
    "launch work<<<ceil_div(count, 256 * STEP), 256>>>(in, out, count)\n"
    "*/\n"
    "extern \"C\" __global__ void work(const float* in, float* out, int count) {\n"
    "  for (int i = blockIdx.x * 256 * STEP + threadIdx.x, k = 0; k < STEP; ++k, i += 256)\n"
    "    if (i < count) out[i] = 0.5 * in[i];\n"
    "}\n";

class RewriterTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_file(folder_.path() / "task.cu", kSource));
    task_ = *task::read_task(folder_.path() / "task.cu");
    candidate_ = *task::make_candidate(task_, kSource, "task.cu");
    Finding finding;
    finding.tool = "instruction_mix";
    finding.kernel = "work";
    finding.prescriptions = {{std::string(diagnose::action::kFloatLiterals), "", ""}};
    finding.gain = {1.5, 3};
    diagnosis_.findings = {finding};
  }

  std::vector<Proposal> propose(int most, const std::vector<std::string>& known = {}) {
    Request request{task_};
    request.parent = &candidate_;
    request.diagnosis = &diagnosis_;
    request.known = known;
    request.most = most;
    return *make_rewriter()->propose(request);
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  Task task_;
  Candidate candidate_;
  Diagnosis diagnosis_;
};

TEST_F(RewriterTest, carries_out_the_prescription_before_it_sweeps) {
  const auto proposals = propose(10, {candidate_.id()});
  ASSERT_EQ(proposals.size(), 3u);
  EXPECT_EQ(proposals[0].tool, "instruction_mix");
  EXPECT_EQ(proposals[0].action, diagnose::action::kFloatLiterals);
  EXPECT_EQ(proposals[0].predicted.high, 3);
  EXPECT_EQ(proposals[1].action, diagnose::action::kTune);
  EXPECT_EQ(proposals[1].tune.at("STEP"), 2);
  EXPECT_EQ(proposals[2].tune.at("STEP"), 4);
}

TEST_F(RewriterTest, never_proposes_what_the_run_knows) {
  const auto first = propose(1, {candidate_.id()});
  ASSERT_EQ(first.size(), 1u);
  const auto candidate = task::make_candidate(task_, first[0].source, "c.cu", first[0].tune);
  const auto second = propose(1, {candidate_.id(), candidate->id()});
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].action, diagnose::action::kTune);
}

/// Findings of the given gains, each with rewrites that have several versions.
Finding finding_of(const char* tool, std::string_view action, Gain gain) {
  Finding finding;
  finding.tool = tool;
  finding.kernel = "work";
  finding.prescriptions = {{std::string(action), "", ""}};
  finding.gain = gain;
  return finding;
}

std::vector<std::string> tools_of(const std::vector<Proposal>& proposals) {
  std::vector<std::string> tools;
  for (const Proposal& proposal : proposals) {
    if (!proposal.tool.empty()) tools.push_back(proposal.tool);
  }
  return tools;
}

TEST_F(RewriterTest, tries_the_best_of_another_finding_before_variants_of_the_first) {
  diagnosis_.findings = {finding_of("first", diagnose::action::kLaunchBounds, {2, 2}),
                         finding_of("second", diagnose::action::kFloatLiterals, {1.6, 1.6})};
  EXPECT_EQ(tools_of(propose(10, {candidate_.id()})),
            (std::vector<std::string>{"first", "second", "first"}));
}

TEST_F(RewriterTest, tries_variants_first_where_much_is_to_gain) {
  diagnosis_.findings = {finding_of("first", diagnose::action::kLaunchBounds, {8, 8}),
                         finding_of("second", diagnose::action::kFloatLiterals, {1.1, 1.2})};
  EXPECT_EQ(tools_of(propose(10, {candidate_.id()})),
            (std::vector<std::string>{"first", "first", "second"}));
}

TEST_F(RewriterTest, keeps_the_rank_of_findings_that_promise_nothing) {
  diagnosis_.findings = {finding_of("first", diagnose::action::kReadOnlyLoads, {}),
                         finding_of("second", diagnose::action::kFloatLiterals, {})};
  EXPECT_EQ(tools_of(propose(10, {candidate_.id()})),
            (std::vector<std::string>{"first", "second"}));
}

TEST_F(RewriterTest, goes_on_from_what_it_wrote) {
  diagnosis_.findings = {finding_of("literals", diagnose::action::kFloatLiterals, {2, 2}),
                         finding_of("loads", diagnose::action::kReadOnlyLoads, {1.2, 1.2})};
  const auto first = propose(1, {candidate_.id()});
  ASSERT_EQ(first.size(), 1u);
  candidate_ = *task::make_candidate(task_, first[0].source, "child.cu", first[0].tune);
  const auto second = propose(1, {candidate_.id()});
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].tool, "loads");
  EXPECT_TRUE(contains(second[0].source, "__restrict__ in"));
  EXPECT_TRUE(contains(second[0].source, "0.5f * in[i]"));
}

TEST_F(RewriterTest, has_nothing_for_seeds_and_repairs) {
  Request request{task_};
  request.parent = &candidate_;
  request.role = search::Role::kRepair;
  EXPECT_TRUE(make_rewriter()->propose(request)->empty());
}

TEST(Edits, apply_at_once_by_position_in_the_original) {
  Edits edits;
  edits.replace(4, 7, "B");
  edits.insert(4, "<");
  edits.insert(0, "^");
  EXPECT_EQ(edits.apply("aaa bbb"), "^aaa <B");
}

TEST(Edits, move_blocks_as_they_stand) {
  EXPECT_EQ(reindented("a {\n      b;\n#pragma c\n    }", 2), "  a {\n    b;\n#pragma c\n  }");
}

TEST(Catalog, has_rewrites_of_distinct_names_in_alphabetical_order) {
  std::string last;
  for (const auto& rewrite : rewrites()) {
    EXPECT_LT(last, rewrite->about().name);
    EXPECT_FALSE(rewrite->about().preconditions.empty());
    last = rewrite->about().name;
  }
}

TEST(Catalog, says_which_proposers_there_are) {
  const auto unknown = make_proposer("oracle");
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(contains(unknown.error().text(), "rewriter"));
}

TEST(Catalog, opens_a_chat_with_its_recording_and_its_budget) {
  const auto folder = *TemporaryFolder::make();
  ASSERT_TRUE(write_file(folder.path() / "script.json", "[{\"text\": \"no kernel\"}]"));
  const std::string name = "scripted-chat:" + (folder.path() / "script.json").string();
  ProposerOptions options;
  options.record = folder.path() / "talk.jsonl";
  options.most_tokens = 10;
  const auto proposer = make_proposer(name, options);
  ASSERT_TRUE(proposer) << proposer.error().text();
  EXPECT_TRUE(std::filesystem::exists(options.record));
  ASSERT_TRUE(write_file(folder.path() / "task.cu", kSource));
  const Task task = *task::read_task(folder.path() / "task.cu");
  Request request{task};
  request.role = search::Role::kSeed;
  const auto spent = (*proposer)->propose(request);
  ASSERT_FALSE(spent) << "ten tokens are not enough for a prompt";
  EXPECT_EQ(spent.error().code, ErrorCode::kLimit);
}

TEST(Scripted, hands_out_its_proposals_in_order_and_then_stops) {
  const auto folder = *TemporaryFolder::make();
  ASSERT_TRUE(write_file(folder.path() / "script.json",
                         R"([{"source": "a", "idea": "one"}, {"source": "b", "idea": "two"}])"));
  auto proposer = make_proposer("scripted:" + (folder.path() / "script.json").string());
  ASSERT_TRUE(proposer) << proposer.error().text();
  Task task;
  task.baseline = "x";
  std::vector<std::string> known{"root"};
  std::vector<std::string> ideas;
  while (true) {
    Request request{task};
    request.known = known;
    const auto proposals = *(*proposer)->propose(request);
    if (proposals.empty()) break;
    ideas.push_back(proposals[0].idea);
    known.push_back(proposals[0].source);
  }
  EXPECT_EQ(ideas, (std::vector<std::string>{"one", "two"}));
}

TEST(Scripted, refuses_a_file_that_is_no_list_of_proposals) {
  const auto folder = *TemporaryFolder::make();
  for (const std::string text : {"{}", "[1]", "[{}]", "no json"}) {
    ASSERT_TRUE(write_file(folder.path() / "script.json", text));
    EXPECT_FALSE(make_proposer("scripted:" + (folder.path() / "script.json").string())) << text;
  }
}

TEST(Rewrites, are_described_in_the_documentation_as_they_are) {
  const Path path = Path(KP_SOURCE_DIR) / "docs" / "rewrites.md";
  if (std::getenv("UPDATE_GOLDENS")) {
    ASSERT_TRUE(write_file(path, describe_rewrites_markdown()));
  }
  const auto committed = read_text(path);
  ASSERT_TRUE(committed) << committed.error().text();
  EXPECT_EQ(*committed, describe_rewrites_markdown()) << "run the test with UPDATE_GOLDENS=1";
}

}  // namespace
}  // namespace kp::propose
