// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "model/json.h"
#include "task/declaration.h"
#include "task/definition.h"
#include "task/distribution.h"
#include "task/plan_draft.h"

namespace kp::task {
namespace {

using Json = nlohmann::json;

struct ReadWorkload {
  Workload workload;
  bool has_role = false;
};

Error unsupported(Error error) {
  error.code = ErrorCode::kUnsupported;
  return error;
}

class LineReader {
 public:
  LineReader(const Definition& definition, SourceSpot spot)
      : definition_(definition), spot_(std::move(spot)) {}

  Result<ReadWorkload> run(const Json& line) {
    if (!line.is_object()) return wrong("workload", "is not an object");
    // A trace line holds the workload as a member; a workload line is one.
    const bool trace = line.contains("workload") && line["workload"].is_object();
    const Json& body = trace ? line["workload"] : line;
    out_.workload.name = fmt::format("line {}", spot_.line);
    if (body.contains("uuid") && body["uuid"].is_string()) {
      out_.workload.name = body["uuid"].get<std::string>();
    }
    KP_TRY_VOID(read_role(body));
    KP_TRY_VOID(read_axes(body));
    KP_TRY_VOID(check_constraints());
    KP_TRY_VOID(default_distributions());
    KP_TRY_VOID(read_inputs(body));
    KP_TRY_VOID(check_scalars());
    auto sizes = check_sizes(definition_.declaration, out_.workload);
    if (!sizes) {
      Error error = std::move(sizes).error();
      error.spot = spot_;
      return tl::unexpected<Error>(std::move(error));
    }
    return std::move(out_);
  }

 private:
  tl::unexpected<Error> wrong(std::string_view where, std::string_view message,
                              std::string hint = {}) const {
    return fail_member(spot_, where, message, std::move(hint));
  }

  Result<void> read_role(const Json& body) {
    if (!body.contains("role")) return {};
    const std::string role = body["role"].is_string() ? body["role"].get<std::string>() : "";
    if (role != "check" && role != "time") {
      return wrong("role", "is neither \"check\" nor \"time\"");
    }
    out_.has_role = true;
    out_.workload.role = role == "check" ? WorkloadRole::kCheck : WorkloadRole::kTime;
    return {};
  }

  const AxisSpec* axis(const std::string& name) const {
    for (const AxisSpec& spec : definition_.axes) {
      if (spec.name == name) return &spec;
    }
    return nullptr;
  }

  Result<void> read_axes(const Json& body) {
    Bindings& axes = out_.workload.axes;
    const Json given = body.value("axes", Json::object());
    if (!given.is_object()) return wrong("axes", "is not an object");
    for (const auto& [name, value] : given.items()) {
      if (axis(name) == nullptr) {
        return wrong("axes." + name, "is not an axis of the definition",
                     suggest(name, definition_.declaration.axes, ""));
      }
      const bool good = value.is_number_integer() && value.get<std::int64_t>() > 0;
      if (!good) return wrong("axes." + name, "is not a positive integer");
      axes[name] = value.get<std::int64_t>();
    }
    for (const AxisSpec& spec : definition_.axes) {
      if (spec.kind == AxisSpec::Kind::kConst) axes[spec.name] = spec.value;
      if (spec.kind == AxisSpec::Kind::kExpr) axes.erase(spec.name);
      if (spec.kind == AxisSpec::Kind::kVar && !axes.contains(spec.name)) {
        return wrong("axes." + spec.name, "is missing", "give every `var` axis a value");
      }
    }
    return evaluate_axes();
  }

  static bool ready(const Expr& expr, const Bindings& axes) {
    const std::set<std::string> names = expr.names();
    return std::all_of(names.begin(), names.end(),
                       [&axes](const std::string& name) { return axes.contains(name); });
  }

  /// Expression axes may name each other in any order: each round evaluates what has become ready.
  Result<void> evaluate_axes() {
    Bindings& axes = out_.workload.axes;
    for (std::size_t round = 0; round < definition_.axes.size(); ++round) {
      for (const AxisSpec& spec : definition_.axes) {
        if (axes.contains(spec.name) || !ready(spec.expr, axes)) continue;
        const auto value = spec.expr.evaluate(axes);
        if (!value) return wrong("axes." + spec.name, value.error().message);
        if (*value < 1) return wrong("axes." + spec.name, fmt::format("is {}", *value));
        axes[spec.name] = *value;
      }
    }
    for (const AxisSpec& spec : definition_.axes) {
      if (axes.contains(spec.name)) continue;
      return wrong("axes." + spec.name, fmt::format("= `{}` cannot be computed", spec.expr.text()),
                   "its expression names an axis that does not exist, or itself");
    }
    return {};
  }

  Result<void> check_constraints() const {
    for (const Expr& constraint : definition_.constraints) {
      const auto holds = constraint.evaluate(out_.workload.axes);
      if (!holds || *holds != 0) continue;
      return wrong("axes", fmt::format("breaks the constraint `{}`", constraint.text()));
    }
    return {};
  }

  Result<void> set_distribution(const Tensor& tensor, const std::string& text) {
    const auto parsed = parse_distribution(text, tensor, out_.workload.axes);
    if (!parsed) {
      return wrong(fmt::format("distribution of {}", tensor.name), parsed.error().message,
                   parsed.error().hint);
    }
    out_.workload.distributions[tensor.name] = *parsed;
    return {};
  }

  Result<void> default_distributions() {
    for (const auto& [name, text] : definition_.distributions) {
      KP_TRY_VOID(set_distribution(*definition_.declaration.find(name), text));
    }
    return {};
  }

  Result<void> read_inputs(const Json& body) {
    const Json inputs = body.value("inputs", Json::object());
    if (!inputs.is_object()) return wrong("inputs", "is not an object");
    for (const auto& [name, spec] : inputs.items()) {
      const Tensor* tensor = definition_.declaration.find(name);
      if (tensor == nullptr) return wrong("inputs." + name, "is not an input of the definition");
      KP_TRY_VOID(read_input(*tensor, spec));
    }
    return {};
  }

  Result<void> read_input(const Tensor& tensor, const Json& spec) {
    const std::string where = "inputs." + tensor.name;
    const bool typed = spec.is_object() && spec.contains("type") && spec["type"].is_string();
    if (!typed) return wrong(where + ".type", "is missing");
    const auto& type = spec["type"].get_ref<const std::string&>();
    if (type == "random") {
      if (!spec.contains("distribution")) return {};
      if (!spec["distribution"].is_string())
        return wrong(where + ".distribution", "is not a string");
      return set_distribution(tensor, spec["distribution"].get<std::string>());
    }
    if (type == "scalar") return read_scalar(tensor, spec, where);
    Error error = wrong(where + ".type", fmt::format("\"{}\" is not supported", type),
                        "inputs are random or scalar; a random input may have a distribution")
                      .value();
    return tl::unexpected<Error>(unsupported(std::move(error)));
  }

  Result<void> read_scalar(const Tensor& tensor, const Json& spec, const std::string& where) {
    if (!tensor.shape.empty()) return wrong(where, "is an array, not a scalar");
    const Json value = spec.value("value", Json());
    if (value.is_boolean()) {
      out_.workload.scalars[tensor.name] = value.get<bool>() ? 1 : 0;
    } else if (value.is_number()) {
      out_.workload.scalars[tensor.name] = value.get<double>();
    } else {
      return wrong(where + ".value", "is not a number");
    }
    return {};
  }

  Result<void> check_scalars() const {
    for (const Tensor& tensor : definition_.declaration.tensors) {
      if (!tensor.shape.empty() || out_.workload.scalars.contains(tensor.name)) continue;
      return wrong("inputs." + tensor.name, "is a scalar without a value",
                   R"(write {"type": "scalar", "value": 1})");
    }
    return {};
  }

  const Definition& definition_;
  SourceSpot spot_;
  ReadWorkload out_;
};

Result<ReadWorkload> read_line(const Definition& definition, std::string_view line,
                               SourceSpot spot) {
  auto json = parse_json(line);
  if (json) return LineReader(definition, std::move(spot)).run(*json);
  Error error = std::move(json).error();
  error.code = ErrorCode::kInvalidInput;
  spot.column = error.spot.column;
  error.spot = std::move(spot);
  return tl::unexpected<Error>(std::move(error));
}

/// Without a check workload the smallest one is checked too, under a name of its own.
Result<void> complete_roles(const Definition& definition, std::vector<Workload>& workloads,
                            const SourceSpot& spot) {
  const auto has = [&workloads](WorkloadRole role) {
    return std::any_of(workloads.begin(), workloads.end(),
                       [role](const Workload& workload) { return workload.role == role; });
  };
  if (!has(WorkloadRole::kTime)) {
    return fail_at(spot, "no workload has the role \"time\"",
                   "leave the role out of at least one line, or write \"role\": \"time\"");
  }
  if (has(WorkloadRole::kCheck)) return {};
  const Workload* smallest = nullptr;
  double least = 0;
  for (const Workload& workload : workloads) {
    KP_TRY(const double bytes, total_bytes(definition.declaration, workload.axes));
    if (smallest != nullptr && bytes >= least) continue;
    smallest = &workload;
    least = bytes;
  }
  Workload check = *smallest;
  check.name = "check:" + check.name;
  check.role = WorkloadRole::kCheck;
  workloads.push_back(std::move(check));
  return {};
}

}  // namespace

Result<std::vector<Workload>> read_workloads(const Definition& definition, const Path& path) {
  KP_TRY(const std::string text, read_text(path));
  std::vector<Workload> workloads;
  SourceSpot spot{path.string(), 0, 0};
  for (const std::string_view line : split_lines(text)) {
    ++spot.line;
    if (trim(line).empty()) continue;
    KP_TRY(ReadWorkload read, read_line(definition, line, spot));
    for (const Workload& other : workloads) {
      if (other.name != read.workload.name) continue;
      return fail_at(spot, fmt::format("workload `{}` stands twice", other.name),
                     "give every line a uuid of its own");
    }
    workloads.push_back(std::move(read.workload));
  }
  spot.line = 0;
  if (workloads.empty()) {
    return fail_at(spot, "no workload",
                   "each line is one: {\"uuid\": \"a\", \"axes\": {\"n\": 67}}");
  }
  KP_TRY_VOID(complete_roles(definition, workloads, spot));
  return workloads;
}

}  // namespace kp::task
