// SPDX-License-Identifier: Apache-2.0
// Plans as text, in canonical form.
#include <fmt/format.h>

#include "base/text.h"
#include "task/task.h"

namespace kp::task {
namespace {

std::string list(const std::vector<Expr>& exprs) {
  std::vector<std::string> parts;
  for (const Expr& expr : exprs) parts.push_back(expr.text());
  return join(parts, ", ");
}

std::string dim_text(const Dim3Expr& dim) {
  const Expr one(1);
  if (dim.z != one) return fmt::format("({}, {}, {})", dim.x.text(), dim.y.text(), dim.z.text());
  if (dim.y != one) return fmt::format("({}, {})", dim.x.text(), dim.y.text());
  return dim.x.text();
}

std::string cluster_text(const Dim3Expr& dim) {
  const std::string text = dim_text(dim);
  const bool tuple = dim.y != Expr(1) || dim.z != Expr(1);
  return tuple ? "cluster" + text : fmt::format("cluster({})", text);
}

std::string real_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string argument_text(const Argument& argument) {
  if (const auto* name = std::get_if<std::string>(&argument.value)) return *name;
  if (const auto* expr = std::get_if<Expr>(&argument.value)) return expr->text();
  return real_text(std::get<double>(argument.value));
}

std::string launch_text(const Launch& launch) {
  std::vector<std::string> arguments;
  for (const Argument& argument : launch.arguments) arguments.push_back(argument_text(argument));
  const bool shared = launch.shared_bytes != Expr(0);
  std::string text = fmt::format(
      "launch {}<<<{}, {}{}>>>({})", launch.kernel, dim_text(launch.grid), dim_text(launch.block),
      shared ? ", " + launch.shared_bytes.text() : "", join(arguments, ", "));
  if (launch.cluster) text += " " + cluster_text(*launch.cluster);
  if (launch.cooperative) text += " cooperative";
  return text;
}

std::string step_text(const Step& step) {
  if (const auto* launch = std::get_if<Launch>(&step)) return launch_text(*launch);
  return "zero " + std::get<ZeroStep>(step).buffer;
}

std::string tune_text(const Tune& tune) {
  std::vector<std::string> values;
  for (const std::int64_t value : tune.values) values.push_back(std::to_string(value));
  return fmt::format("tune {} in {}{}", tune.name, join(values, ", "),
                     tune.where ? " where " + tune.where->text() : "");
}

std::string buffer_text(const ScratchBuffer& buffer) {
  return fmt::format("buffer {} : {}[{}]{}", buffer.name, name_of(buffer.dtype), list(buffer.shape),
                     buffer.zeroed ? " = 0" : "");
}

std::string map_text(const TensorMap& map) {
  return fmt::format("tensormap {} = {} box({}){}", map.name, map.tensor, list(map.box),
                     map.swizzle == "none" ? "" : " swizzle " + map.swizzle);
}

std::vector<std::string> plan_lines(const Plan& plan) {
  std::vector<std::string> lines;
  if (plan.precision) lines.push_back(fmt::format("precision {}", name_of(*plan.precision)));
  if (plan.level != IncludeLevel::kRaw)
    lines.push_back(fmt::format("level {}", name_of(plan.level)));
  for (const Tune& tune : plan.tunes) lines.push_back(tune_text(tune));
  for (const ScratchBuffer& buffer : plan.buffers) lines.push_back(buffer_text(buffer));
  for (const TensorMap& map : plan.tensor_maps) lines.push_back(map_text(map));
  for (const Step& step : plan.prepare) lines.push_back("prepare " + step_text(step));
  for (const Step& step : plan.steps) lines.push_back(step_text(step));
  for (const Step& step : plan.oracle) lines.push_back("oracle " + step_text(step));
  return lines;
}

std::string comment(const std::vector<std::string>& lines) {
  return fmt::format("/* kernelpro\n{}\n*/", join(lines, "\n"));
}

}  // namespace

std::string print_plan(const Plan& plan) { return comment(plan_lines(plan)); }

Result<std::string> replace_plan(std::string_view source, const std::string& file,
                                 const Plan& plan) {
  KP_TRY(const TextRange range, find_plan(source, file));
  KP_TRY(const ParsedPlan old, parse_plan(source, file));
  std::vector<std::string> lines;
  for (const DeclarationLine& line : old.declaration_lines) lines.push_back(line.text);
  for (std::string& line : plan_lines(plan)) lines.push_back(std::move(line));
  std::string text(source.substr(0, range.begin));
  text += comment(lines);
  text += source.substr(range.end);
  return text;
}

}  // namespace kp::task
