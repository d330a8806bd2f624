// SPDX-License-Identifier: Apache-2.0
#include "package/evidence.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "package/names.h"
#include "report/wrap.h"

namespace kp::package {
namespace {

constexpr std::size_t kColumns = 97;

std::string meta_of(const report::RunView& run, const std::string& key) {
  const auto found = run.meta.find(key);
  return found == run.meta.end() ? "unknown" : found->second;
}

const Evaluation* judgement(const report::NodeView& view) {
  if (view.final) return &*view.final;
  return view.node.evaluation ? &*view.node.evaluation : nullptr;
}

std::string speedup_line(const report::RunView& run, int node, const Measured& measured) {
  const double value = run.speedup(node).value_or(1);
  if (measured.grade == Grade::kModelled)
    return fmt::format(
        "{:.2f}x over the original, modelled by the virtual GPU: it ranks versions, is no "
        "measurement and has no interval",
        value);
  const auto ratio = run.ratio(node);
  if (!ratio) return fmt::format("{:.2f}x over the original, measured, without an interval", value);
  return fmt::format("{}, measured in alternation", to_string(*ratio));
}

std::string times_line(const report::RunView& run, int node) {
  const Evaluation* before = judgement(run.at(0));
  const Measured *then = before ? before->measured() : nullptr,
                 *now = judgement(run.at(node))->measured();
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < now->workloads.size(); ++i) {
    const TimedWorkload& timed = now->workloads[i];
    const bool known = then && i < then->workloads.size() && then->grade == now->grade;
    const std::string earlier =
        known ? format_duration_ns(then->workloads[i].nanoseconds) + " to " : "";
    parts.push_back(
        fmt::format("{}: {}{}", timed.workload, earlier, format_duration_ns(timed.nanoseconds)));
  }
  return fmt::format("{} ({})", join(parts, ", "), name_of(now->grade));
}

std::string shapes_line(const Task& task) {
  std::vector<std::string> parts;
  for (const Workload& workload : task.workloads) {
    std::vector<std::string> axes;
    for (const auto& [axis, value] : workload.axes)
      axes.push_back(fmt::format("{} = {}", axis, value));
    parts.push_back(
        fmt::format("{} ({}; {})", workload.name, name_of(workload.role), join(axes, ", ")));
  }
  return join(parts, ", ");
}

class Lines {
 public:
  void add(std::string_view label, const std::string& text) {
    const std::string line = fmt::format("  {:<9}  {}", label, plain(text));
    const std::string text_in_lines = report::wrapped(line, kColumns);
    for (const std::string_view part : split_lines(text_in_lines)) lines_.emplace_back(part);
  }
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> evidence_of(const report::RunView& run, int node, const Delivery& delivery,
                                     const Trial& trial) {
  const report::NodeView& view = run.at(node);
  const Evaluation& judged = *judgement(view);
  const Measured& measured = *judged.measured();
  Lines out;
  out.lines_.push_back(fmt::format("Exported by KernelPro {}: node {} of a run of {}, on {}.",
                                   meta_of(run, "version"), node, meta_of(run, "date"),
                                   judged.device));
  out.add("task", fmt::format("{}, digest {}", delivery.task.name, meta_of(run, "task_digest")));
  if (view.proposal && !view.proposal->idea.empty()) out.add("idea", view.proposal->idea);
  out.add("device", fmt::format("{} ({}), {}, {}", meta_of(run, "product"), judged.device,
                                delivery.architecture, meta_of(run, "compiler")));
  out.add("speed-up", speedup_line(run, node, measured));
  out.add("times", times_line(run, node));
  out.add("judged", fmt::format("at {} depth; worst error {:.2g} of {:.2g} allowed; {}{}",
                                name_of(judged.depth), measured.worst_error, measured.error_limit,
                                measured.deterministic ? "deterministic" : "not deterministic",
                                judged.sandbox.empty() ? "" : "; sandbox " + judged.sandbox));
  for (const std::string& note : judged.notes) out.add("note", note);
  out.add("shapes", shapes_line(delivery.task));
  out.add("serves", describe(delivery.guard) + "; elsewhere the original kernels run");
  out.add("values", trial.values);
  out.add("compiled", trial.compiled);
  out.add("test", trial.test);
  return out.lines_;
}

}  // namespace kp::package
