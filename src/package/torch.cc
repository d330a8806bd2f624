// SPDX-License-Identifier: Apache-2.0
// A Python module for PyTorch over the shared C++ sources, bound by plain C functions, so that
// nothing depends on the binary interface of one PyTorch.
#include <fmt/format.h>

#include "assets/package_binding.h"
#include "assets/package_module.h"
#include "assets/package_test_module.h"
#include "base/text.h"
#include "package/arithmetic.h"
#include "package/library.h"
#include "package/names.h"
#include "package/regression.h"
#include "package/template.h"

namespace kp::package {
namespace {

constexpr std::string_view kPrepares =
    "  return op::prepare(unpacked(arrays, scalars, axes), workspace,\n"
    "                     static_cast<cudaStream_t>(stream));\n";
constexpr std::string_view kPreparesNothing =
    "  (void)arrays, (void)scalars, (void)axes, (void)workspace, (void)stream;\n"
    "  return 0;\n";

std::string binding_text(const Delivery& delivery) {
  std::string assignments;
  std::vector<std::string> axes;
  int arrays = 0, scalars = 0;
  for (const Tensor& tensor : delivery.task.declaration.tensors) {
    const std::string name = identifier_of(tensor.name);
    const std::string_view type = cpp_type(tensor.dtype);
    assignments +=
        tensor.shape.empty()
            ? fmt::format("  arguments.{} = number<{}>(scalars[{}]);\n", name, type, scalars++)
            : fmt::format("  arguments.{} = static_cast<{}*>(arrays[{}]);\n", name, type, arrays++);
  }
  for (const std::string& axis : chosen_axes(delivery)) {
    assignments += fmt::format("  arguments.{} = axes[{}];\n", identifier_of(axis), axes.size());
    axes.push_back(fmt::format("axes[{}]", axes.size()));
  }
  return filled(assets::package_binding,
                {{"name", std::string(delivery.name)},
                 {"assignments", std::string(assignments)},
                 {"axes", std::string(join(axes, ", "))},
                 {"prepare", std::string(has_prepare(delivery) ? kPrepares : kPreparesNothing)}});
}

std::string in_quotes(std::string_view text) { return fmt::format("\"{}\"", text); }

/// A tuple's inside: one element has its comma.
std::string tuple(const std::vector<std::string>& parts) {
  return join(parts, ", ") + (parts.size() == 1 ? "," : "");
}

class ModuleWriter {
 public:
  explicit ModuleWriter(const Delivery& delivery)
      : delivery_(delivery), tensors_(delivery.task.declaration.tensors) {}

  Result<std::map<std::string, std::string>> values() const {
    std::map<std::string, std::string> values{
        {"NAME", delivery_.name},
        {"EVIDENCE", std::string(trim(evidence_comment(delivery_, "#")))},
        {"DESCRIPTION", plain(delivery_.task.description)},
        {"SERVED", describe(delivery_.guard)},
        {"EAGER", delivery_.reference.empty() ? "my_function" : delivery_.name + "_reference.run"},
        {"PREPARES", has_prepare(delivery_) ? "True" : "False"}};
    values["ARCHITECTURE"] = architecture();
    add_axes(values);
    add_arrays(values);
    KP_TRY_VOID(add_shapes(values));
    return values;
  }

  Result<std::map<std::string, std::string>> test_values() const {
    std::map<std::string, std::string> values{{"NAME", delivery_.name}};
    std::vector<std::string> rules;
    for (const Tensor& tensor : tensors_) {
      if (!is_output(tensor)) continue;
      const auto gate = tolerance_of(delivery_, tensor);
      rules.push_back(fmt::format("{}: ({}, {}, {})", in_quotes(identifier_of(tensor.name)),
                                  gate.share * gate.slack, gate.zero_mean != 0 ? "True" : "False",
                                  rounding_of(tensor.dtype)));
    }
    values["RULES"] = join(rules, ", ");
    for (const Case& shape : delivery_.cases) values["CASES"] += case_line(shape);
    return values;
  }

 private:
  /// Kernels for this very architecture say so; others are built for the GPU that PyTorch finds.
  std::string architecture() const {
    if (!delivery_.architecture.ends_with('a')) return "";
    const std::string number = delivery_.architecture.substr(3);
    return fmt::format(", \"-gencode=arch=compute_{0},code=sm_{0}\"", number);
  }

  void add_axes(std::map<std::string, std::string>& values) const {
    std::vector<std::string> names, bare, given;
    for (const std::string& axis : chosen_axes(delivery_)) {
      const std::string name = identifier_of(axis);
      names.push_back(in_quotes(name));
      bare.push_back(name);
      given.push_back(fmt::format("{}: {}", in_quotes(name), name));
      if (const auto place = place_of(axis))
        values["BIND"] += fmt::format("        {} = {}\n", name, *place);
    }
    values["BIND"];
    values["AXES"] = tuple(names);
    values["AXES_BARE"] = join(bare, ", ");
    values["AXIS_VALUES"] = join(given, ", ");
  }

  /// Where an axis can be read off an input.
  std::optional<std::string> place_of(const std::string& axis) const {
    for (const Tensor& tensor : tensors_) {
      if (tensor.role == TensorRole::kOutput) continue;
      for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        const auto& steps = tensor.shape[i].postfix();
        if (steps.size() == 1 && steps[0].op == Expr::Op::kName && steps[0].name == axis)
          return fmt::format("{}.shape[{}]", identifier_of(tensor.name), i);
      }
    }
    return std::nullopt;
  }

  void add_arrays(std::map<std::string, std::string>& values) const {
    std::vector<std::string> scalars, parameters, tensors, scalar_values, results;
    std::string device = "torch.device(\"cuda\")";
    for (const Tensor& tensor : tensors_) {
      const std::string name = identifier_of(tensor.name);
      if (tensor.role != TensorRole::kOutput) parameters.push_back(name);
      if (tensor.shape.empty()) {
        scalars.push_back(in_quotes(name));
        scalar_values.push_back(fmt::format("{}: {}", in_quotes(name), name));
        continue;
      }
      values["ARRAYS"] +=
          fmt::format("    {}: ({}, {}),\n", in_quotes(name), in_quotes(torch_type(tensor.dtype)),
                      in_quotes(name_of(tensor.role)));
      if (tensor.role == TensorRole::kOutput) {
        results.push_back(fmt::format("outputs[{}]", in_quotes(name)));
        continue;
      }
      if (tensor.role == TensorRole::kInOut) results.push_back(name);
      if (tensors.empty()) device = name + ".device";
      tensors.push_back(fmt::format("{}: {}", in_quotes(name), name));
    }
    for (const std::string& axis : chosen_axes(delivery_)) {
      if (!place_of(axis)) parameters.push_back(identifier_of(axis));
    }
    values["SCALARS"] = tuple(scalars);
    values["SCALAR_VALUES"] = join(scalar_values, ", ");
    values["PARAMETERS"] = values["CALL"] = join(parameters, ", ");
    values["TENSORS"] = join(tensors, ", ");
    values["DEVICE"] = device;
    values["RESULT"] = join(results, ", ");
  }

  Result<void> add_shapes(std::map<std::string, std::string>& values) const {
    values["COMPUTED"];
    for (const task::AxisSpec& axis : delivery_.axes) {
      if (axis.kind == task::AxisSpec::Kind::kVar) continue;
      std::string text = std::to_string(axis.value);
      if (axis.kind == task::AxisSpec::Kind::kExpr) {
        KP_TRY(text, source_of(axis.expr, {}, Language::kPython));
      }
      values["COMPUTED"] += fmt::format("    {} = {}\n", identifier_of(axis.name), text);
    }
    std::vector<std::string> shapes;
    for (const Tensor& tensor : tensors_) {
      if (tensor.shape.empty()) continue;
      std::vector<std::string> extents;
      for (const Expr& extent : tensor.shape) {
        KP_TRY(extents.emplace_back(), source_of(extent, {}, Language::kPython));
      }
      shapes.push_back(
          fmt::format("{}: ({})", in_quotes(identifier_of(tensor.name)), tuple(extents)));
    }
    values["SHAPES"] = join(shapes, ", ");
    return {};
  }

  std::string case_line(const Case& shape) const {
    std::vector<std::string> axes, scalars, fills;
    for (const std::string& axis : chosen_axes(delivery_))
      axes.push_back(
          fmt::format("{}: {}", in_quotes(identifier_of(axis)), shape.workload.axes.at(axis)));
    for (const Tensor& tensor : tensors_) {
      const std::string name = in_quotes(identifier_of(tensor.name));
      if (tensor.shape.empty()) {
        const auto given = shape.workload.scalars.find(tensor.name);
        const bool known = given != shape.workload.scalars.end();
        scalars.push_back(
            fmt::format("{}: {}", name, known ? given->second : tensor.scalar.value_or(0)));
        continue;
      }
      const Distribution fill = fill_of(tensor, shape);
      const char* kind = fill.kind == Distribution::Kind::kNormal    ? "normal"
                         : fill.kind == Distribution::Kind::kUniform ? "uniform"
                                                                     : "int";
      fills.push_back(fmt::format("{}: (\"{}\", {}, {})", name, kind, fill.low, fill.high));
    }
    return fmt::format("    (\"{}\", {}, {{{}}}, {{{}}},\n     {{{}}}),\n",
                       plain(shape.workload.name), shape.served ? "True" : "False",
                       join(axes, ", "), join(scalars, ", "), join(fills, ", "));
  }

  const Delivery& delivery_;
  const std::vector<Tensor>& tensors_;
};

}  // namespace

Result<std::vector<File>> write_torch(const Delivery& delivery) {
  KP_TRY(auto files, write_library(delivery));
  const ModuleWriter writer(delivery);
  KP_TRY(const auto values, writer.values());
  KP_TRY(const auto test_values, writer.test_values());
  const std::string& name = delivery.name;
  files.push_back({name + "_binding.cu", binding_text(delivery)});
  files.push_back({name + ".py", filled(assets::package_module, values)});
  files.push_back({"test_" + name + ".py", filled(assets::package_test_module, test_values)});
  if (!delivery.reference.empty())
    files.push_back({name + "_reference.py",
                     "# The reference of the task's definition.json.\n" + delivery.reference});
  return files;
}

}  // namespace kp::package
