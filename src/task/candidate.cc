// SPDX-License-Identifier: Apache-2.0
// From source text to a candidate of a task, or the reason why it is none.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "task/include_check.h"
#include "task/plan_check.h"
#include "task/plan_draft.h"

namespace kp::task {
namespace {

/// Declarations are compared without blanks: how a line is set does not change what it says.
std::string bare(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c == ' '; });
  return out;
}

tl::unexpected<Error> differs(const DeclarationLine& mine, const std::string& text) {
  return fail_at(mine.spot, fmt::format("`{}` differs from the task's declaration", mine.text),
                 fmt::format("a candidate repeats the task's lines as they are: `{}`", text));
}

Result<void> same_declaration(const ParsedPlan& mine, const ParsedPlan& task) {
  const auto& own = mine.declaration_lines;
  const auto& given = task.declaration_lines;
  for (std::size_t i = 0; i < std::min(own.size(), given.size()); ++i) {
    if (bare(own[i].text) != bare(given[i].text)) return differs(own[i], given[i].text);
  }
  if (own.size() > given.size()) {
    return fail_at(own[given.size()].spot,
                   fmt::format("`{}` is not in the task's declaration", own[given.size()].text),
                   "remove it; a candidate cannot change what is computed");
  }
  if (own.size() < given.size()) {
    return fail_at(
        mine.plan.spot, "a part of the task's declaration is missing",
        fmt::format("add `{}`, or leave the whole declaration out", given[own.size()].text));
  }
  return {};
}

/// A candidate of a single-file task may carry the declaration along, unchanged; any other may not
/// declare anything.
Result<void> check_declaration_lines(const Task& task, const ParsedPlan& parsed) {
  if (!parsed.declares_task) return {};
  const bool single_file = task.baseline && task.path == task.baseline_path;
  if (single_file) {
    KP_TRY(const ParsedPlan baseline, parse_plan(*task.baseline, task.baseline_path.string()));
    return same_declaration(parsed, baseline);
  }
  const DeclarationLine& first = parsed.declaration_lines.front();
  return fail_at(
      first.spot, fmt::format("`{}`: a candidate may not redeclare the task", first.text),
      fmt::format("remove the line; the task `{}` declares axes, inputs, outputs and work",
                  task.name));
}

Result<void> check_precision(const Task& task, const Plan& plan) {
  if (!plan.precision || *plan.precision <= task.declaration.precision) return {};
  return fail_at(plan.spot,
                 fmt::format("precision {} is looser than the task's {}", name_of(*plan.precision),
                             name_of(task.declaration.precision)),
                 "a candidate may only tighten the precision of its task");
}

Result<Bindings> complete_tune(const Plan& plan, const Bindings& given) {
  Bindings chosen;
  std::vector<std::string> names;
  for (const Tune& tune : plan.tunes) {
    names.push_back(tune.name);
    const auto set = given.find(tune.name);
    const std::int64_t value = set == given.end() ? tune.values.front() : set->second;
    if (std::count(tune.values.begin(), tune.values.end(), value) == 0) {
      return fail_at(tune.spot, fmt::format("{} = {} is not in its list", tune.name, value),
                     "choose one of the values that the plan lists");
    }
    chosen[tune.name] = value;
  }
  for (const auto& [name, value] : given) {
    if (chosen.contains(name)) continue;
    return fail_at(
        plan.spot, fmt::format("the plan has no tune parameter `{}`", name),
        suggest(name, names, names.empty() ? "it has none" : "it has " + join(names, ", ")));
  }
  return chosen;
}

std::string choice_text(const Bindings& choice) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : choice) parts.push_back(fmt::format("{}={}", name, value));
  return join(parts, ", ");
}

/// `names of axes` and `tune` together.
Bindings scope_of(const Workload& workload, const Bindings& tune) {
  Bindings scope = workload.axes;
  scope.insert(tune.begin(), tune.end());
  return scope;
}

Error in_workload(Error error, const SourceSpot& spot, const Workload& workload) {
  if (error.spot.line == 0) error.spot = spot;
  return std::move(error).within(fmt::format("workload {}", workload.name));
}

Result<void> check_where(const Task& task, const Plan& plan, const Bindings& chosen) {
  for (const Tune& tune : plan.tunes) {
    for (const Workload& workload : task.workloads) {
      if (!tune.where) continue;
      const auto holds = tune.where->evaluate(scope_of(workload, chosen));
      if (!holds) return tl::unexpected<Error>(in_workload(holds.error(), tune.spot, workload));
      if (*holds != 0) continue;
      const auto allowed = tune_choices(task, plan, 4096);
      const bool some = allowed && !allowed->empty();
      return tl::unexpected<Error>(in_workload(
          {ErrorCode::kInvalidInput,
           fmt::format("{} does not satisfy `{}`", choice_text(chosen), tune.where->text()),
           some ? fmt::format("{} does, for all workloads", choice_text(allowed->front()))
                : "no listed value does for all workloads",
           tune.spot,
           {}},
          tune.spot, workload));
    }
  }
  return {};
}

}  // namespace

Result<Candidate> make_candidate(const Task& task, std::string source, std::string file,
                                 const Bindings& tune) {
  KP_TRY(ParsedPlan parsed, parse_plan(source, file));
  Plan& plan = parsed.plan;
  KP_TRY_VOID(check_declaration_lines(task, parsed));
  KP_TRY_VOID(check_precision(task, plan));
  KP_TRY_VOID(check_includes(source, file, plan.level));
  KP_TRY_VOID(check_plan_names(task.declaration, plan));
  KP_TRY(Bindings chosen, complete_tune(plan, tune));
  KP_TRY_VOID(check_where(task, plan, chosen));
  for (const Workload& workload : task.workloads) {
    const auto fits = check_plan_sizes(task.declaration, plan, scope_of(workload, chosen));
    if (!fits) return tl::unexpected<Error>(in_workload(fits.error(), plan.spot, workload));
  }
  return Candidate{std::move(source), std::move(file), std::move(plan), std::move(chosen)};
}

Result<void> begin_from(Task& task, const Path& file) {
  KP_TRY(std::string source, read_text(file));
  KP_TRY_VOID(make_candidate(task, source, file.string()));
  task.baseline = std::move(source);
  task.baseline_path = file;
  return {};
}

}  // namespace kp::task
