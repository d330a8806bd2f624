// SPDX-License-Identifier: Apache-2.0
#include "report/markdown.h"

#include "report/run_fixture.h"

namespace kp::report {
namespace {

class MarkdownOf : public StoredRun {
 protected:
  void expect(const std::string& part) const {
    const std::string text = markdown(view());
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
  }
  void expect_no(const std::string& part) const {
    const std::string text = markdown(view());
    EXPECT_EQ(text.find(part), std::string::npos) << part << "\nis in\n" << text;
  }
  void restart_with(const store::Meta& meta) {
    store_ = fail(ErrorCode::kNotFound, "closed");
    std::filesystem::remove_all(folder());
    store_ = store::RunStore::create(folder(), meta);
  }
};

TEST_F(MarkdownOf, a_run_has_its_sections_in_order) {
  add_baseline();
  add(0, measured_in(50));
  const std::string text = markdown(view());
  EXPECT_TRUE(text.starts_with("# softmax on vgpu:h200\n"));
  std::size_t last = 0;
  for (const char* section :
       {"## Result\n", "## From the baseline to the best\n", "## What was found\n", "## Ledger\n",
        "## All candidates\n", "## How it was made\n"}) {
    const std::size_t at = text.find(section);
    ASSERT_NE(at, std::string::npos) << section;
    EXPECT_GT(at, last) << section;
    last = at;
  }
}

TEST_F(MarkdownOf, modelled_times_are_said_to_be_no_measurement) {
  add_baseline();
  expect("The times are modelled by the virtual GPU.");
  expect("they are no measurement");
}

TEST_F(MarkdownOf, measured_times_are_not_said_to_be_modelled) {
  append(store::ProposalRecord{0, std::nullopt, "one\n", {}, "the baseline", "", "", {}});
  Evaluation evaluation = measured_in(100);
  std::get<Measured>(evaluation.outcome).grade = Grade::kMeasured;
  append(store::NodeRecord{0, std::nullopt, 0, "c0", evaluation, 1.0, std::nullopt});
  expect_no("modelled");
}

TEST_F(MarkdownOf, a_step_shows_its_advice_its_tune_choice_and_its_diff) {
  add_baseline();
  add(0, measured_in(50));
  expect("### Node 1: idea 1\n\n2.00x over the root; `bank_conflict` prescribed `pad-shared`");
  expect("- `BLOCK = 128`\n");
  expect("```diff\n--- before\n");
  expect("-two\n+version 1\n");
}

TEST_F(MarkdownOf, the_times_of_baseline_and_best_stand_side_by_side) {
  add_baseline();
  add(0, measured_in(50));
  expect("**2.00x** over the baseline, node 1, judged at quick depth.");
  expect("| time-64x64 | 100 ns | 50 ns | modelled |\n");
}

TEST_F(MarkdownOf, a_ledger_line_says_what_was_promised_and_what_came) {
  add_baseline();
  add(0, measured_in(50));
  add(0, wrong());
  expect("| 1 | bank_conflict | pad-shared | 1.20x to 2.50x | 2.00x |\n");
  expect("| 2 | bank_conflict | pad-shared | 1.20x to 2.50x | wrong answer |\n");
}

TEST_F(MarkdownOf, a_run_without_a_correct_version_says_so) {
  add_virtual_root();
  add(0, wrong());
  expect("No correct version was found.");
  expect_no("## From the baseline");
}

TEST_F(MarkdownOf, a_run_where_the_baseline_stays_best_has_no_path_and_one_diagnosis) {
  add_baseline();
  add(0, wrong());
  expect("**1.00x** over the baseline, node 0");
  expect("In node 0 (baseline):");
  expect_no("In node 0 (best):");
  expect_no("## From the baseline");
}

TEST_F(MarkdownOf, a_run_without_a_baseline_is_compared_with_its_first_correct_version) {
  add_virtual_root();
  add(0, measured_in(100));
  expect("over the first correct version, node 1");
}

TEST_F(MarkdownOf, a_run_says_why_it_ended) {
  add_baseline();
  append(store::EndingRecord{"exhausted", "the proposer has nothing more to try"});
  expect("The run ended: the proposer has nothing more to try.");
}

TEST_F(MarkdownOf, the_environment_is_told_with_the_command_that_repeats_the_run) {
  restart_with({{"command", "kernelpro optimize tasks/softmax --seed 7"},
                {"version", "1.2.3"},
                {"compiler", "NVRTC 13.0"},
                {"host_cores", "2"},
                {"seed", "7"}});
  add_baseline();
  expect("```sh\nkernelpro optimize tasks/softmax --seed 7\n```");
  expect("| KernelPro | 1.2.3 |\n");
  expect("| compiler | NVRTC 13.0 |\n");
  expect("| cores of the host | 2 |\n");
  expect("| started | unknown |\n");
  expect("| seed | 7 |\n");
  expect("- oracle: host\n");
  expect_no("| command |");
}

}  // namespace
}  // namespace kp::report
