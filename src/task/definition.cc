// SPDX-License-Identifier: Apache-2.0
#include "task/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "model/json.h"
#include "task/declaration.h"
#include "task/distribution.h"
#include "task/expr_parser.h"
#include "task/plan_draft.h"

namespace kp::task {
namespace {

using Json = nlohmann::ordered_json;

class DefinitionReader {
 public:
  DefinitionReader(const Json& root, SourceSpot spot) : root_(root), spot_(std::move(spot)) {}

  Result<Definition> run() {
    if (!root_.is_object()) return fail_member(spot_, "definition", "is not an object");
    KP_TRY(out_.name, text(root_, "name", "name"));
    read_optional("description", out_.description);
    read_optional("reference", out_.reference);
    read_optional("op_type", out_.op_type);
    read_optional("custom_inputs_entrypoint", out_.custom_inputs);
    // Only definitions of SOL-ExecBench have these, often as null.
    for (const char* key : {"custom_inputs_entrypoint", "hf_id"})
      if (root_.contains(key)) out_.publisher = Publisher::kSol;
    KP_TRY_VOID(read_axes());
    KP_TRY_VOID(read_tensors("inputs", TensorRole::kInput));
    KP_TRY_VOID(read_tensors("outputs", TensorRole::kOutput));
    read_constraints();
    out_.declaration.precision = default_precision(out_.declaration);
    if (root_.contains("kernelpro")) KP_TRY_VOID(read_extensions(root_["kernelpro"]));
    KP_TRY_VOID(check_declaration(out_.declaration, spot_));
    return std::move(out_);
  }

 private:
  tl::unexpected<Error> wrong(std::string_view where, std::string_view message,
                              std::string hint = {}) const {
    return fail_member(spot_, where, message, std::move(hint));
  }

  Result<std::string> text(const Json& object, const char* key, const std::string& where) const {
    if (!object.contains(key)) return wrong(where, "is missing");
    if (!object[key].is_string()) return wrong(where, "is not a string");
    return object[key].get<std::string>();
  }

  void read_optional(const char* key, std::string& into) const {
    if (root_.contains(key) && root_[key].is_string()) into = root_[key].get<std::string>();
  }

  Result<const Json*> object(const char* key) const {
    if (!root_.contains(key)) return wrong(key, "is missing");
    if (!root_[key].is_object()) return wrong(key, "is not an object");
    return &root_[key];
  }

  Result<Expr> expression(const Json& value, const std::string& where) const {
    if (value.is_number_integer()) return Expr(value.get<std::int64_t>());
    if (!value.is_string()) return wrong(where, "is not an expression");
    const auto parsed = parse_python_expr(value.get_ref<const std::string&>());
    if (parsed) return *parsed;
    return wrong(where, fmt::format("cannot be read: {}", parsed.error().message),
                 parsed.error().hint);
  }

  Result<void> read_axes() {
    KP_TRY(const Json* axes, object("axes"));
    for (const auto& [name, spec] : axes->items()) {
      KP_TRY(AxisSpec axis, read_axis(name, spec));
      out_.declaration.axes.push_back(axis.name);
      out_.axes.push_back(std::move(axis));
    }
    return {};
  }

  Result<AxisSpec> read_axis(const std::string& name, const Json& spec) const {
    const std::string where = "axes." + name;
    if (!spec.is_object()) return wrong(where, "is not an object");
    KP_TRY(const std::string type, text(spec, "type", where + ".type"));
    AxisSpec axis;
    axis.name = name;
    if (type == "var") return axis;
    if (type == "const") {
      const bool good = spec.contains("value") && spec["value"].is_number_integer() &&
                        spec["value"].get<std::int64_t>() > 0;
      if (!good) return wrong(where + ".value", "is not a positive integer");
      axis.kind = AxisSpec::Kind::kConst;
      axis.value = spec["value"].get<std::int64_t>();
      return axis;
    }
    if (type != "expr") {
      return wrong(where + ".type", fmt::format("is \"{}\"", type),
                   suggest(type, {"const", "var", "expr"}, "one of const, var, expr"));
    }
    if (!spec.contains("expression")) return wrong(where + ".expression", "is missing");
    axis.kind = AxisSpec::Kind::kExpr;
    KP_TRY(axis.expr, expression(spec["expression"], where + ".expression"));
    return axis;
  }

  Result<void> read_tensors(const char* key, TensorRole role) {
    KP_TRY(const Json* tensors, object(key));
    for (const auto& [name, spec] : tensors->items()) {
      KP_TRY(Tensor tensor, read_tensor(name, spec, fmt::format("{}.{}", key, name)));
      tensor.role = role;
      KP_TRY_VOID(add(std::move(tensor), fmt::format("{}.{}", key, name)));
    }
    return {};
  }

  /// A name that is input and output is one array, read and written.
  Result<void> add(Tensor tensor, const std::string& where) {
    const auto& axes = out_.declaration.axes;
    if (std::find(axes.begin(), axes.end(), tensor.name) != axes.end()) {
      return wrong(where, "is also the name of an axis");
    }
    const bool output = tensor.role == TensorRole::kOutput;
    if (output && tensor.shape.empty()) tensor.shape.push_back(Expr(1));  // lives in memory
    for (Tensor& other : out_.declaration.tensors) {
      if (other.name != tensor.name) continue;
      if (other.shape != tensor.shape || other.dtype != tensor.dtype) {
        return wrong(where, "differs from the input of that name");
      }
      other.role = TensorRole::kInOut;
      return {};
    }
    out_.declaration.tensors.push_back(std::move(tensor));
    return {};
  }

  Result<DType> read_dtype(const Json& spec, const std::string& where) const {
    KP_TRY(const std::string name, text(spec, "dtype", where + ".dtype"));
    if (name == "float8_e4m3") return DType::kF8E4M3;
    if (const std::optional<DType> type = dtype_from(name)) return *type;
    Error error = wrong(where + ".dtype", fmt::format("\"{}\" is not supported", name),
                        "float64 to float8, int8 to int64, uint8 to uint64, and bool are")
                      .value();
    error.code = ErrorCode::kUnsupported;
    return tl::unexpected<Error>(std::move(error));
  }

  Result<Tensor> read_tensor(const std::string& name, const Json& spec,
                             const std::string& where) const {
    if (!spec.is_object()) return wrong(where, "is not an object");
    Tensor tensor;
    tensor.name = name;
    tensor.spot = spot_;
    KP_TRY(tensor.dtype, read_dtype(spec, where));
    tensor.distribution = default_distribution(tensor.dtype);
    if (!spec.contains("shape")) return wrong(where + ".shape", "is missing");
    const Json& shape = spec["shape"];
    if (shape.is_null()) return tensor;
    if (!shape.is_array()) return wrong(where + ".shape", "is neither a list of axes nor null");
    for (const Json& dimension : shape) {
      KP_TRY(Expr extent, expression(dimension, where + ".shape"));
      tensor.shape.push_back(std::move(extent));
    }
    return tensor;
  }

  /// Constraints are Python; those that are arithmetic over axes are checked, others concern
  /// values.
  void read_constraints() {
    if (!root_.contains("constraints") || !root_["constraints"].is_array()) return;
    for (const Json& item : root_["constraints"]) {
      if (!item.is_string()) continue;
      const auto parsed = parse_python_expr(item.get_ref<const std::string&>());
      if (parsed && check_names(*parsed, out_.declaration.axes, spot_)) {
        out_.constraints.push_back(*parsed);
      }
    }
  }

  Result<void> known_keys(const Json& object, const std::string& where,
                          const std::vector<std::string>& known) const {
    if (!object.is_object()) return wrong(where, "is not an object");
    for (const auto& [key, value] : object.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      return wrong(fmt::format("{}.{}", where, key), "is unknown",
                   suggest(key, known, "one of " + join(known, ", ")));
    }
    return {};
  }

  Result<void> read_extensions(const Json& ours) {
    KP_TRY_VOID(known_keys(ours, "kernelpro", {"precision", "work", "tensors"}));
    if (ours.contains("precision")) {
      KP_TRY(const std::string name, text(ours, "precision", "kernelpro.precision"));
      const std::optional<Precision> precision = precision_from(name);
      if (!precision) {
        return wrong("kernelpro.precision", fmt::format("is \"{}\"", name),
                     "one of f64, f32, tf32, f16, bf16, fp8");
      }
      out_.declaration.precision = *precision;
    }
    if (ours.contains("work")) KP_TRY_VOID(read_work(ours["work"]));
    if (ours.contains("tensors")) KP_TRY_VOID(read_tensor_extensions(ours["tensors"]));
    return {};
  }

  Result<void> read_work(const Json& work) {
    KP_TRY_VOID(known_keys(work, "kernelpro.work", {"flops", "bytes", "contraction"}));
    Work& out = out_.declaration.work;
    if (work.contains("flops")) {
      KP_TRY(out.flops, expression(work["flops"], "kernelpro.work.flops"));
    }
    if (work.contains("bytes")) {
      KP_TRY(out.bytes, expression(work["bytes"], "kernelpro.work.bytes"));
    }
    if (!work.contains("contraction")) return {};
    if (!work["contraction"].is_boolean()) {
      return wrong("kernelpro.work.contraction", "is neither true nor false");
    }
    out.contraction = work["contraction"].get<bool>();
    return {};
  }

  Result<void> read_tensor_extensions(const Json& tensors) {
    std::vector<std::string> names;
    for (const Tensor& tensor : out_.declaration.tensors) names.push_back(tensor.name);
    KP_TRY_VOID(known_keys(tensors, "kernelpro.tensors", names));
    for (const auto& [name, spec] : tensors.items()) {
      const std::string where = "kernelpro.tensors." + name;
      KP_TRY_VOID(known_keys(spec, where, {"role", "distribution"}));
      if (spec.contains("distribution")) {
        KP_TRY(out_.distributions[name], text(spec, "distribution", where + ".distribution"));
      }
      if (!spec.contains("role")) continue;
      KP_TRY(const std::string role, text(spec, "role", where + ".role"));
      KP_TRY_VOID(set_role(name, role, where + ".role"));
    }
    return {};
  }

  Result<void> set_role(const std::string& name, const std::string& role,
                        const std::string& where) {
    for (Tensor& tensor : out_.declaration.tensors) {
      if (tensor.name != name) continue;
      if (role != "weight" && role != "inout") {
        return wrong(where, fmt::format("is \"{}\"", role), "one of weight, inout");
      }
      if (tensor.role == TensorRole::kOutput || tensor.shape.empty()) {
        return wrong(where, "is given to what is not an input array");
      }
      tensor.role = role == "weight" ? TensorRole::kWeight : TensorRole::kInOut;
    }
    return {};
  }

  const Json& root_;
  SourceSpot spot_;
  Definition out_;
};

}  // namespace

tl::unexpected<Error> fail_member(const SourceSpot& spot, std::string_view where,
                                  std::string_view message, std::string hint) {
  return fail_at(spot, fmt::format("`{}` {}", where, message), std::move(hint));
}

Result<Definition> read_definition(const Path& path) {
  KP_TRY(const std::string text, read_text(path));
  auto root = parse_ordered_json(text);
  if (!root) {
    Error error = std::move(root).error();
    error.code = ErrorCode::kInvalidInput;
    error.spot.file = path.string();
    return tl::unexpected<Error>(std::move(error));
  }
  return DefinitionReader(*root, {path.string(), 0, 0}).run();
}

}  // namespace kp::task
