// SPDX-License-Identifier: Apache-2.0
#include "task/workload_line.h"

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

/// The workload without what is ours.
std::string as_published(Json body) {
  body.erase("role");
  if (body.contains("inputs") && body["inputs"].is_object()) {
    for (auto& [name, input] : body["inputs"].items())
      if (input.is_object()) input.erase("distribution");
  }
  return body.dump();
}

class LineReader {
 public:
  LineReader(const Definition& definition, SourceSpot spot)
      : definition_(definition), spot_(std::move(spot)) {}

  Result<ReadWorkload> run(const Json& line) {
    if (!line.is_object()) return wrong("workload", "is not an object");
    const Json& body = is_trace(line) ? line["workload"] : line;
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
    KP_TRY_VOID(set_tolerance(line, body));
    out_.workload.published = as_published(body);
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
    if (type == "safetensors") return read_data(tensor, spec, where);
    if (type == "custom") return expect_custom(tensor, where);
    return unsupported(where + ".type", fmt::format("\"{}\" is not supported", type),
                       "inputs are random, scalar or safetensors");
  }

  tl::unexpected<Error> unsupported(const std::string& where, std::string_view message,
                                    std::string hint) const {
    Error error = wrong(where, message, std::move(hint)).value();
    error.code = ErrorCode::kUnsupported;
    return tl::unexpected<Error>(std::move(error));
  }

  /// What the definition's own function makes is put in later.
  Result<void> expect_custom(const Tensor& tensor, const std::string& where) {
    out_.workload.data[tensor.name] = {};
    if (!definition_.custom_inputs.empty()) return {};
    return wrong(where + ".type", "is \"custom\", and nothing makes such inputs",
                 "name the function of `reference` in the definition's custom_inputs_entrypoint");
  }

  Result<void> read_data(const Tensor& tensor, const Json& spec, const std::string& where) {
    auto data = find_data(definition_, tensor, spec, out_.workload);
    if (data) {
      out_.workload.data[tensor.name] = *std::move(data);
      return {};
    }
    Error error = std::move(data).error();
    const bool own_place = !error.spot.file.empty();  // inside of the file of data
    if (own_place) {
      return tl::unexpected<Error>(
          std::move(error).within(fmt::format("workload {}, `{}`", out_.workload.name, where)));
    }
    Error placed = wrong(where, error.message, error.hint).value();
    placed.code = error.code;
    return tl::unexpected<Error>(std::move(placed));
  }

  Result<void> set_tolerance(const Json& line, const Json& body) {
    if (body.contains("tolerance") && !body["tolerance"].is_null()) {
      KP_TRY(out_.workload.tolerance, read_tolerance(body["tolerance"], spot_));
      return {};
    }
    const Publisher publisher = is_trace(line) ? Publisher::kFlashInfer : definition_.publisher;
    out_.workload.tolerance = usual_tolerance(definition_, publisher);
    return {};
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
      const bool given =
          out_.workload.scalars.contains(tensor.name) || out_.workload.data.contains(tensor.name);
      if (!tensor.shape.empty() || given) continue;
      return wrong("inputs." + tensor.name, "is a scalar without a value",
                   R"(write {"type": "scalar", "value": 1})");
    }
    return {};
  }

  const Definition& definition_;
  SourceSpot spot_;
  ReadWorkload out_;
};

}  // namespace

bool is_trace(const Json& line) {
  return line.is_object() && line.contains("workload") && line["workload"].is_object();
}

Result<ReadWorkload> read_workload_line(const Definition& definition, const Json& line,
                                        const SourceSpot& spot) {
  return LineReader(definition, spot).run(line);
}

}  // namespace kp::task
