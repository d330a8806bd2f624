// SPDX-License-Identifier: Apache-2.0
#include "package/collect.h"

#include <fmt/format.h>

#include "package/names.h"
#include "task/task.h"

namespace kp::package {
namespace {

Result<void> check_node(const report::RunView& run, int node, const Task& task) {
  const std::string show = fmt::format("`kernelpro show {}` lists the nodes", run.folder.string());
  if (!task.baseline)
    return fail(ErrorCode::kUnsupported,
                fmt::format("task {} has no baseline that could serve other shapes", task.name),
                "give the task a baseline, or use best.cu as it is");
  if (node < 0 || node >= static_cast<int>(run.nodes.size()))
    return fail(ErrorCode::kInvalidInput, fmt::format("the run has no node {} to export", node),
                show);
  if (node == 0)
    return fail(ErrorCode::kInvalidInput, "node 0 is the original: nothing was gained", show);
  const report::NodeView& view = run.at(node);
  const std::optional<Evaluation>& judged = view.final ? view.final : view.node.evaluation;
  if (judged && judged->measured()) return {};
  return fail(ErrorCode::kInvalidInput,
              fmt::format("node {} is not right: {}", node,
                          judged ? summary(*judged) : std::string("it was not judged")),
              show);
}

/// The tests that are written fill inputs from distributions alone.
Result<void> check_structure(const Declaration& declaration) {
  for (const Tensor& tensor : declaration.tensors) {
    if (!tensor.structure.any()) continue;
    return fail(ErrorCode::kUnsupported,
                fmt::format("the input `{}` is {}, which a test that is exported does not draw",
                            tensor.name, text_of(tensor.structure)),
                "use best.cu as it is: a kernel may rely on such inputs");
  }
  return {};
}

/// Python of the definition that others run; a problem in Python is no such function.
std::string reference_of(const Task& task) {
  return task.path.extension() == ".py" ? std::string() : task.reference;
}

}  // namespace

Result<Delivery> collect(const report::RunView& run, int node, Task task, const std::string& name) {
  KP_TRY_VOID(check_node(run, node, task));
  KP_TRY_VOID(check_names(task.declaration));
  KP_TRY_VOID(check_structure(task.declaration));
  Delivery delivery;
  delivery.name = operator_name(name.empty() ? task.name : name);
  delivery.task = std::move(task);
  const Task& known = delivery.task;
  KP_TRY(delivery.axes, axes_of(known));
  KP_TRY(delivery.guard, guard_of(known, delivery.axes));
  const store::ProposalRecord& proposal = *run.at(node).proposal;
  KP_TRY(delivery.optimized, task::make_candidate(known, proposal.source,
                                                  fmt::format("node-{}.cu", node), proposal.tune));
  KP_TRY(delivery.original,
         task::make_candidate(known, *known.baseline, known.baseline_path.filename().string()));
  for (const Workload& workload : known.workloads) delivery.cases.push_back({workload, true});
  delivery.reference = reference_of(known);
  return delivery;
}

}  // namespace kp::package
