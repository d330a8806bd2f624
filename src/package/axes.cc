// SPDX-License-Identifier: Apache-2.0
#include "package/axes.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "task/expr_parser.h"
#include "task/task.h"

namespace kp::package {
namespace {

using task::AxisSpec;

/// `NAME = EXPR` of an axis line. An axis whose value names no other axis is the caller's: its
/// value is that of the first workload only.
Result<AxisSpec> axis_from(std::string_view part) {
  const std::size_t equals = part.find('=');
  AxisSpec axis;
  axis.name = trim(part.substr(0, equals));
  KP_TRY(axis.expr, task::parse_python_expr(trim(part.substr(equals + 1))));
  if (!axis.expr.names().empty()) axis.kind = AxisSpec::Kind::kExpr;
  return axis;
}

/// Commas of functions stand in brackets.
std::vector<std::string_view> parts_of(std::string_view line) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '(') ++depth;
    if (i < line.size() && line[i] == ')') --depth;
    if (i < line.size() && (line[i] != ',' || depth > 0)) continue;
    parts.push_back(line.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

Result<std::vector<AxisSpec>> axes_of_file(const Task& task) {
  KP_TRY(const auto parsed, task::parse_plan(task.baseline.value_or(""), task.path.string()));
  std::vector<AxisSpec> axes;
  for (const task::DeclarationLine& line : parsed.declaration_lines) {
    if (!starts_with_word(line.text, "axis")) continue;
    for (const std::string_view part : parts_of(std::string_view(line.text).substr(4))) {
      KP_TRY(axes.emplace_back(), axis_from(part));
    }
  }
  return axes;
}

/// Each axis after those that it names.
Result<std::vector<AxisSpec>> in_order(std::vector<AxisSpec> axes) {
  std::vector<AxisSpec> ordered;
  std::set<std::string> known;
  const auto is_ready = [&known](const AxisSpec& axis) {
    const std::set<std::string> names = axis.expr.names();
    return axis.kind != AxisSpec::Kind::kExpr ||
           std::includes(known.begin(), known.end(), names.begin(), names.end());
  };
  while (!axes.empty()) {
    const auto next = std::find_if(axes.begin(), axes.end(), is_ready);
    if (next == axes.end())
      return fail(ErrorCode::kInvalidInput, "axes are computed from each other in a ring");
    known.insert(next->name);
    ordered.push_back(std::move(*next));
    axes.erase(next);
  }
  return ordered;
}

}  // namespace

Result<std::vector<AxisSpec>> axes_of(const Task& task) {
  const bool folder = std::filesystem::is_directory(task.path);
  if (!folder && task.path.extension() != ".json") {
    KP_TRY(auto axes, axes_of_file(task));
    return in_order(std::move(axes));
  }
  KP_TRY(auto definition,
         task::read_definition(folder ? task.path / "definition.json" : task.path));
  return in_order(std::move(definition.axes));
}

Result<Bindings> completed(const std::vector<AxisSpec>& axes, Bindings chosen) {
  for (const AxisSpec& axis : axes) {
    if (axis.kind == AxisSpec::Kind::kConst) chosen[axis.name] = axis.value;
    if (axis.kind == AxisSpec::Kind::kExpr) {
      KP_TRY(chosen[axis.name], axis.expr.evaluate(chosen));
    }
  }
  return chosen;
}

}  // namespace kp::package
