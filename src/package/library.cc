// SPDX-License-Identifier: Apache-2.0
#include "package/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "assets/package_dispatch.h"
#include "assets/package_header.h"
#include "assets/package_launch.h"
#include "assets/package_prepare.h"
#include "assets/package_prepare_declaration.h"
#include "base/text.h"
#include "package/arithmetic.h"
#include "package/launcher.h"
#include "package/names.h"
#include "package/regression.h"
#include "package/template.h"

namespace kp::package {
namespace {

constexpr int kAlignment = 16;  // bytes: the widest access of a thread, and what TMA asks for

std::string member_type(const Tensor& tensor) {
  if (tensor.shape.empty()) return std::string(cpp_type(tensor.dtype)) + " ";
  return fmt::format("{}{}* ", is_output(tensor) ? "" : "const ", cpp_type(tensor.dtype));
}

std::string shape_text(const Tensor& tensor) {
  std::vector<std::string> extents;
  for (const Expr& extent : tensor.shape) extents.push_back(extent.text());
  return "[" + join(extents, ", ") + "]";
}

std::string member_line(const Tensor& tensor) {
  const std::string name = identifier_of(tensor.name);
  if (tensor.shape.empty())
    return fmt::format("  {}{} = {}();\n", member_type(tensor), name, cpp_type(tensor.dtype));
  const std::string role =
      tensor.role == TensorRole::kInput ? "" : ", " + std::string(name_of(tensor.role));
  return fmt::format("  {}{} = nullptr;  // {}{}\n", member_type(tensor), name, shape_text(tensor),
                     role);
}

/// "const float* x", ...: what a caller gives, arrays and scalars first, then axes.
struct Parameter {
  std::string type, name;
};
std::vector<Parameter> parameters_of(const Delivery& delivery) {
  std::vector<Parameter> parameters;
  for (const Tensor& tensor : delivery.task.declaration.tensors)
    parameters.push_back({member_type(tensor), identifier_of(tensor.name)});
  for (const std::string& axis : chosen_axes(delivery))
    parameters.push_back({"std::int64_t ", identifier_of(axis)});
  return parameters;
}

std::string includes_of(const Declaration& declaration) {
  std::set<std::string> headers;
  for (const Tensor& tensor : declaration.tensors) {
    if (tensor.dtype == DType::kF16) headers.insert("cuda_fp16.h");
    if (tensor.dtype == DType::kBf16) headers.insert("cuda_bf16.h");
    if (tensor.dtype == DType::kF8E4M3 || tensor.dtype == DType::kF8E5M2)
      headers.insert("cuda_fp8.h");
  }
  headers.insert("cuda_runtime.h");
  std::string text;
  for (const std::string& header : headers) text += fmt::format("#include <{}>\n", header);
  return text;
}

std::string header_text(const Delivery& delivery) {
  std::vector<std::string> axes, parameters;
  std::string members, assignments;
  for (const Tensor& tensor : delivery.task.declaration.tensors) members += member_line(tensor);
  for (const std::string& axis : chosen_axes(delivery)) {
    members += fmt::format("  std::int64_t {} = 0;\n", identifier_of(axis));
    axes.push_back("std::int64_t " + identifier_of(axis));
  }
  for (const auto& [type, name] : parameters_of(delivery)) {
    parameters.push_back(type + name);
    assignments += fmt::format("  arguments.{0} = {0};\n", name);
  }
  return filled(
      assets::package_header,
      {{"name", std::string(delivery.name)},
       {"description",
        std::string(plain(delivery.task.description.empty() ? delivery.task.name
                                                            : delivery.task.description))},
       {"evidence", std::string(evidence_comment(delivery, "//"))},
       {"includes", std::string(includes_of(delivery.task.declaration))},
       {"members", std::string(members)},
       {"served", std::string(describe(delivery.guard))},
       {"alignment", std::to_string(kAlignment)},
       {"axis_parameters", std::string(join(axes, ", "))},
       {"prepare", std::string(has_prepare(delivery) ? assets::package_prepare_declaration : "")},
       {"parameters", std::string(join(parameters, ",\n                          "))},
       {"assignments", std::string(assignments)}});
}

/// Conditions of the guard. What prepares weights knows nothing but weights and sizes.
struct Conditions {
  std::vector<std::string> early, late;
};

std::string scalar_condition(const Tensor& scalar, const std::vector<double>& verified) {
  std::vector<std::string> equal;
  for (const double value : verified)
    equal.push_back(fmt::format("same(arguments.{}, {})", identifier_of(scalar.name), value));
  return "(" + join(equal, " || ") + ")";
}

Result<std::string> count_condition(const Tensor& tensor, std::uint64_t most) {
  std::string count = "Whole(1)";
  for (const Expr& extent : tensor.shape) {
    KP_TRY(const std::string text, source_of(extent, {}, Language::kCpp));
    count += extent.postfix().size() == 1 ? " * " + text : " * (" + text + ")";
  }
  return fmt::format("at_most({}, {})", count, most);
}

Result<Conditions> conditions_of(const Delivery& delivery) {
  Conditions conditions;
  for (const AxisRange& range : delivery.guard.ranges)
    conditions.early.push_back(fmt::format("within(arguments.{}, {}, {}, {})",
                                           identifier_of(range.axis), range.low, range.high,
                                           range.step));
  for (const Tensor& tensor : delivery.task.declaration.tensors) {
    if (tensor.shape.empty()) {
      const auto& verified = delivery.guard.scalars.at(tensor.name);
      conditions.late.push_back(scalar_condition(tensor, verified));
      continue;
    }
    KP_TRY(conditions.early.emplace_back(),
           count_condition(tensor, delivery.guard.elements.at(tensor.name)));
    auto& list = tensor.role == TensorRole::kWeight ? conditions.early : conditions.late;
    list.push_back(fmt::format("aligned(arguments.{})", identifier_of(tensor.name)));
  }
  return conditions;
}

std::vector<std::string> requirements_of(const Delivery& delivery) {
  std::vector<std::string> needed;
  for (const std::string& axis : chosen_axes(delivery))
    needed.push_back(fmt::format("arguments.{} >= 1", identifier_of(axis)));
  return needed;
}

std::vector<std::string> arrays_of(const Delivery& delivery) {
  std::vector<std::string> needed;
  for (const Tensor& tensor : delivery.task.declaration.tensors) {
    if (!tensor.shape.empty())
      needed.push_back(fmt::format("arguments.{} != nullptr", identifier_of(tensor.name)));
  }
  return needed;
}

constexpr std::string_view kLargerWorkspace =
    R"(  // Kernels of the version that does not serve may be unable to size these arrays.
  return std::max(ours, theirs);
)";
// What is prepared must outlive calls of the other version.
constexpr std::string_view kBothWorkspaces =
    R"(  return ours < 0 || theirs < 0 ? -1 : ours + theirs;
)";
Result<std::string> dispatch_text(const Delivery& delivery) {
  KP_TRY(const auto conditions, conditions_of(delivery));
  KP_TRY(const std::string axis_text, axis_lines(delivery));
  const bool prepares = has_prepare(delivery);
  std::vector<std::string> axes;
  std::string assignments;
  for (const std::string& axis : chosen_axes(delivery)) {
    axes.push_back("std::int64_t " + identifier_of(axis));
    assignments += fmt::format("  arguments.{0} = {0};\n", identifier_of(axis));
  }
  const std::vector<std::string> sizes = requirements_of(delivery);
  const std::string theirs =
      "static_cast<char*>(workspace) + optimized::workspace_bytes(arguments)";
  return filled(assets::package_dispatch,
                {{"name", std::string(delivery.name)},
                 {"alignment", std::to_string(kAlignment)},
                 {"sizes", std::string(sizes.empty() ? "true" : join(sizes, " && "))},
                 {"arrays", std::string(join(arrays_of(delivery), " &&\n         "))},
                 {"axes", std::string(axis_text)},
                 {"early", std::string(join(conditions.early, " &&\n         "))},
                 {"late", std::string("is_preparable(arguments) &&\n         " +
                                      join(conditions.late, " &&\n         "))},
                 {"axis_parameters", std::string(join(axes, ", "))},
                 {"assignments", std::string(assignments)},
                 {"workspace", std::string(prepares ? kBothWorkspaces : kLargerWorkspace)},
                 {"prepare", std::string(prepares ? std::string(assets::package_prepare) : "")},
                 {"theirs", std::string(prepares ? theirs : "workspace")}});
}

}  // namespace

std::string evidence_comment(const Delivery& delivery, std::string_view sign) {
  std::string text;
  for (const std::string& line : delivery.evidence)
    text += line.empty() ? fmt::format("{}\n", sign) : fmt::format("{} {}\n", sign, line);
  return text;
}

std::vector<std::string> chosen_axes(const Delivery& delivery) {
  std::vector<std::string> names;
  for (const task::AxisSpec& axis : delivery.axes) {
    if (axis.kind == task::AxisSpec::Kind::kVar) names.push_back(axis.name);
  }
  return names;
}

bool has_prepare(const Delivery& delivery) {
  return !delivery.optimized.plan.prepare.empty() || !delivery.original.plan.prepare.empty();
}

Result<std::vector<File>> write_library(const Delivery& delivery) {
  std::vector<File> files;
  const std::string& name = delivery.name;
  files.push_back({name + ".h", header_text(delivery)});
  KP_TRY(std::string dispatch, dispatch_text(delivery));
  files.push_back({name + ".cu", std::move(dispatch)});
  files.push_back({name + "_launch.cuh", std::string(assets::package_launch)});
  KP_TRY(files.emplace_back(), write_version(delivery, delivery.optimized, "optimized"));
  KP_TRY(files.emplace_back(), write_version(delivery, delivery.original, "original"));
  return files;
}

}  // namespace kp::package
