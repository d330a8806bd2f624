// SPDX-License-Identifier: Apache-2.0
// The only list of tools, in the order in which clients see them.
#include "mcp/catalog.h"

#include "mcp/code_shelf.h"
#include "mcp/tools/tools.h"

namespace kp::mcp {
namespace {

constexpr const char* kInstructions =
    "KernelPro judges CUDA kernels and says what limits them; you write the versions. "
    "1. optimize_start(task) begins a run and judges the baseline. "
    "2. Read the findings: what was seen, why it costs, how much can be gained at most, what to "
    "do. "
    "3. Change one thing and call submit_candidate(run, node, source) with the node that you "
    "started "
    "from. `ask` names the node that the search would go on with and gives the whole contract. "
    "4. Read the verdict: a wrong answer, a race or a failed build says where; repair it from that "
    "node. Differences inside the interval are noise; modelled times only rank versions. "
    "5. Stop when at_roof is true, when stop_because appears or when nothing more is found, then "
    "call best(run, final=true): only what passes at full depth is a result. "
    "A candidate is one CUDA source with a plan comment (launches, buffers, tune parameters); it "
    "has no host code.";

}  // namespace

std::vector<Tool> make_tools(const Setup& setup) {
  const auto place = std::make_shared<Workplace>(setup);
  const auto shelf = std::make_shared<CodeShelf>(setup.code_roots);
  std::vector<Tool> tools;
  tools.push_back(make_optimize_start(place));
  tools.push_back(make_ask());
  tools.push_back(make_submit_candidate(place));
  tools.push_back(make_best(place));
  tools.push_back(make_show_tree());
  tools.push_back(make_explain());
  tools.push_back(make_diagnose(place));
  tools.push_back(make_list_tools());
  tools.push_back(make_search_code(shelf));
  tools.push_back(make_read_code(shelf));
  return tools;
}

Introduction introduction(const Setup& setup) {
  return {"kernelpro", setup.version, kInstructions};
}

}  // namespace kp::mcp
