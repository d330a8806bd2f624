// SPDX-License-Identifier: Apache-2.0
#include "package/evidence.h"

#include "base/text.h"
#include "package/fixture.h"

namespace kp::package {
namespace {

report::RunView run_with(const Measured& before, const Measured& after, const std::string& idea) {
  report::RunView run;
  run.meta = {{"version", "1.2"},
              {"date", "2030-01-01 00:00 UTC"},
              {"product", "NVIDIA H200"},
              {"task_digest", "d1"},
              {"compiler", "NVRTC 13.0"}};
  for (const Measured& measured : {before, after}) {
    report::NodeView view;
    view.node.id = static_cast<int>(run.nodes.size());
    view.node.evaluation = Evaluation{measured, Depth::kFinal, "cuda:0", 0.1, {}};
    view.node.speedup = before.nanoseconds / measured.nanoseconds;
    view.proposal = store::ProposalRecord{};
    view.proposal->idea = idea;
    run.nodes.push_back(view);
  }
  return run;
}

Measured taking(double ns, Grade grade) {
  Measured measured;
  measured.nanoseconds = ns;
  measured.grade = grade;
  measured.workloads = {{"large", ns, {}, {}, {}}};
  return measured;
}

std::string text_of(const report::RunView& run, const Trial& trial) {
  return join(evidence_of(run, 1, swish(), trial), "\n");
}

TEST(Evidence, calls_modelled_times_modelled) {
  const auto run = run_with(taking(200, Grade::kModelled), taking(100, Grade::kModelled), "wider");
  const std::string text = text_of(run, {"checked", "by nvcc", "not run here: no device"});
  EXPECT_NE(text.find("2.00x over the original, modelled by the virtual GPU"), std::string::npos);
  EXPECT_NE(text.find("large: 200 ns to 100 ns (modelled)"), std::string::npos) << text;
  EXPECT_NE(text.find("test       not run here: no device"), std::string::npos) << text;
}

TEST(Evidence, gives_measured_ratios_with_their_interval) {
  Measured after = taking(100, Grade::kMeasured);
  after.speedup = Speedup{1.9, 1.8, 2.0, 30};
  const auto run = run_with(taking(200, Grade::kMeasured), after, "wider");
  const std::string text = text_of(run, {"a", "b", "c"});
  EXPECT_NE(text.find("(95 %: 1.8 to 2, 30 pairs)"), std::string::npos) << text;
  EXPECT_EQ(text.find("modelled"), std::string::npos);
}

TEST(Evidence, lets_no_idea_leave_the_comment) {
  const auto run = run_with(taking(2, Grade::kModelled), taking(1, Grade::kModelled),
                            "good\n#include \"/etc/passwd\"\nend \\");
  for (const std::string& line : evidence_of(run, 1, swish(), {})) {
    EXPECT_FALSE(line.starts_with("#")) << line;
    EXPECT_EQ(line.find_first_of("\\\n\r"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace kp::package
