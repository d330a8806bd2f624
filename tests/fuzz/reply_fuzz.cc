// SPDX-License-Identifier: Apache-2.0
// Any text as a reply of a model: reading it must end soon and without a crash, and what it gives
// must be usable: proposals whose plan fits the task, or a fault that says something.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "propose/llm/quoted.h"
#include "propose/llm/reply.h"
#include "propose/llm/unified_diff.h"
#include "task/task.h"

namespace {

using namespace kp;           // NOLINT
using namespace kp::propose;  // NOLINT

constexpr const char* kParent = R"(/* kernelpro
axis n = 4096
input x : f32[n]
output y : f32[n]
launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
extern "C" __global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = x[i];
}
)";

Task make_task() {
  const auto parsed = task::parse_plan(kParent, "task.cu");
  KP_CHECK(parsed.has_value(), "the parent can be read");
  Task task;
  task.name = "fuzz";
  task.path = "task.cu";
  task.declaration = parsed->declaration;
  task.workloads = parsed->workloads;
  task.baseline = kParent;
  task.baseline_path = "task.cu";
  return task;
}

Candidate make_parent(const Task& task) {
  auto parent = task::make_candidate(task, kParent, "task.cu");
  KP_CHECK(parent.has_value(), "the parent has a usable plan");
  return *std::move(parent);
}

void check_proposals(const std::vector<Proposal>& proposals, const Task& task) {
  KP_CHECK(!proposals.empty() && proposals.size() <= 4, "some, and no more than wanted");
  for (const Proposal& proposal : proposals) {
    KP_CHECK(!proposal.idea.empty(), "each has an idea");
    KP_CHECK(proposal.idea == on_one_line(proposal.idea, 1000), "an idea is one printable line");
    KP_CHECK(task::make_candidate(task, proposal.source, "c.cu", proposal.tune), "its plan fits");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static const Task task = make_task();
  static const Candidate parent = make_parent(task);
  for (const Candidate* from : {&parent, static_cast<const Candidate*>(nullptr)}) {
    const ParsedReply parsed = parse_reply(text, {task, from, nullptr, 4});
    if (const auto* proposals = std::get_if<std::vector<Proposal>>(&parsed)) {
      check_proposals(*proposals, task);
    } else {
      KP_CHECK(!std::get<Fault>(parsed).sentence.empty(), "a fault says something");
    }
  }
  (void)apply_diff(kParent, text);
  const std::string clean = printable(text);
  KP_CHECK(printable(clean) == clean, "what is printable stays as it is");
  return 0;
}
