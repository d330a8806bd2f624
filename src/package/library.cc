// SPDX-License-Identifier: Apache-2.0
#include "package/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "assets/package_launch.h"
#include "base/text.h"
#include "package/arithmetic.h"
#include "package/launcher.h"
#include "package/names.h"
#include "package/regression.h"

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

constexpr std::string_view kHeader = R"(// {name}: {description}
//
{evidence}#pragma once
{includes}
#include <cstddef>
#include <cstdint>

namespace kernelpro::{name} {{

/// One call. Arrays are row-major, dense, in device memory, and do not overlap.
struct Arguments {{
{members}}};

enum class Version {{ kOptimized, kOriginal }};

/// Which kernels serve a call: the optimised ones where they were verified ({served};
/// arrays aligned to {alignment} bytes and no larger than there), else the original ones.
Version version_for(const Arguments& arguments);

/// Bytes of device memory, aligned to 256, that a call needs beside its arrays; enough for both
/// versions. -1: these are no sizes of this operator.
std::int64_t workspace_bytes({axis_parameters});
{prepare}
/// Starts one call on `stream`. cudaErrorInvalidValue: a size below 1 or too large for the plan, an
/// array that is missing, no workspace although one is needed. Other errors are the runtime's.
cudaError_t launch(const Arguments& arguments, void* workspace, cudaStream_t stream);
/// The same with kernels of your choice: nothing is guarded.
cudaError_t launch(Version version, const Arguments& arguments, void* workspace,
                   cudaStream_t stream);

/// The same, typed argument by argument.
inline cudaError_t launch({parameters}, void* workspace, cudaStream_t stream) {{
  Arguments arguments;
{assignments}  return launch(arguments, workspace, stream);
}}

}}  // namespace kernelpro::{name}
)";

constexpr std::string_view kPrepare = R"(
/// Once before the first call, and again when a weight changes: what follows from weights alone. It
/// stays in `workspace`, which later calls get as it is.
cudaError_t prepare(const Arguments& arguments, void* workspace, cudaStream_t stream);
)";

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
  return fmt::format(
      kHeader, fmt::arg("name", delivery.name),
      fmt::arg("description", plain(delivery.task.description.empty() ? delivery.task.name
                                                                      : delivery.task.description)),
      fmt::arg("evidence", evidence_comment(delivery, "//")),
      fmt::arg("includes", includes_of(delivery.task.declaration)), fmt::arg("members", members),
      fmt::arg("served", describe(delivery.guard)), fmt::arg("alignment", kAlignment),
      fmt::arg("axis_parameters", join(axes, ", ")),
      fmt::arg("prepare", has_prepare(delivery) ? kPrepare : ""),
      fmt::arg("parameters", join(parameters, ", ")), fmt::arg("assignments", assignments));
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

constexpr std::string_view kDispatch = R"(// The guard of {name}, and what calls become.
#include "{name}.h"

#include <algorithm>

#include "{name}_launch.cuh"

namespace kernelpro::{name} {{

namespace optimized {{
std::int64_t workspace_bytes(const Arguments& arguments);
cudaError_t prepare(const Arguments& arguments, void* memory, cudaStream_t stream);
cudaError_t launch(const Arguments& arguments, void* memory, cudaStream_t stream);
}}  // namespace optimized
namespace original {{
std::int64_t workspace_bytes(const Arguments& arguments);
cudaError_t prepare(const Arguments& arguments, void* memory, cudaStream_t stream);
cudaError_t launch(const Arguments& arguments, void* memory, cudaStream_t stream);
}}  // namespace original

namespace {{

inline bool within(std::int64_t value, std::int64_t low, std::int64_t high, std::int64_t step) {{
  return value >= low && value <= high && value % step == 0;
}}
inline bool at_most(Whole count, std::int64_t most) {{ return count.good && count.value <= most; }}
inline bool aligned(const void* address) {{
  return reinterpret_cast<std::uintptr_t>(address) % {alignment} == 0;
}}
template <class T>
bool same(T value, double verified) {{
  return static_cast<float>(value) == static_cast<float>(static_cast<T>(verified));
}}

bool has_sizes(const Arguments& arguments) {{ return {sizes}; }}
bool has_arrays(const Arguments& arguments) {{
  return {arrays};
}}

/// Sizes and weights.
bool is_preparable(const Arguments& arguments) {{
{axes}  return {early};
}}
bool is_verified(const Arguments& arguments) {{
  return {late};
}}

}}  // namespace

Version version_for(const Arguments& arguments) {{
  return has_sizes(arguments) && is_verified(arguments) ? Version::kOptimized
                                                        : Version::kOriginal;
}}

std::int64_t workspace_bytes({axis_parameters}) {{
  Arguments arguments;
{assignments}  if (!has_sizes(arguments)) return -1;
  const std::int64_t ours = optimized::workspace_bytes(arguments);
  const std::int64_t theirs = original::workspace_bytes(arguments);
{workspace}}}
{prepare}
cudaError_t launch(const Arguments& arguments, void* workspace, cudaStream_t stream) {{
  return launch(version_for(arguments), arguments, workspace, stream);
}}

cudaError_t launch(Version version, const Arguments& arguments, void* workspace,
                   cudaStream_t stream) {{
  if (!has_sizes(arguments) || !has_arrays(arguments)) return cudaErrorInvalidValue;
  const bool ours = version == Version::kOptimized;
  const std::int64_t bytes =
      ours ? optimized::workspace_bytes(arguments) : original::workspace_bytes(arguments);
  if (bytes < 0 || (bytes > 0 && workspace == nullptr)) return cudaErrorInvalidValue;
  if (ours) return optimized::launch(arguments, workspace, stream);
  return original::launch(arguments, {theirs}, stream);
}}

}}  // namespace kernelpro::{name}
)";

constexpr std::string_view kLargerWorkspace =
    R"(  // Kernels of the version that does not serve may be unable to size these arrays.
  return std::max(ours, theirs);
)";
// What is prepared must outlive calls of the other version.
constexpr std::string_view kBothWorkspaces =
    R"(  return ours < 0 || theirs < 0 ? -1 : ours + theirs;
)";
constexpr std::string_view kPrepareBoth = R"(
cudaError_t prepare(const Arguments& arguments, void* workspace, cudaStream_t stream) {{
  const std::int64_t ours = optimized::workspace_bytes(arguments);
  if (!has_sizes(arguments) || ours < 0 || workspace == nullptr) return cudaErrorInvalidValue;
  if (is_preparable(arguments)) {{
    const cudaError_t status = optimized::prepare(arguments, workspace, stream);
    if (status != cudaSuccess) return status;
  }}
  return original::prepare(arguments, static_cast<char*>(workspace) + ours, stream);
}}
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
  return fmt::format(
      kDispatch, fmt::arg("name", delivery.name), fmt::arg("alignment", kAlignment),
      fmt::arg("sizes", sizes.empty() ? "true" : join(sizes, " && ")),
      fmt::arg("arrays", join(arrays_of(delivery), " &&\n         ")), fmt::arg("axes", axis_text),
      fmt::arg("early", join(conditions.early, " &&\n         ")),
      fmt::arg("late",
               "is_preparable(arguments) &&\n         " + join(conditions.late, " &&\n         ")),
      fmt::arg("axis_parameters", join(axes, ", ")), fmt::arg("assignments", assignments),
      fmt::arg("workspace", prepares ? kBothWorkspaces : kLargerWorkspace),
      fmt::arg("prepare", prepares ? fmt::format(kPrepareBoth) : ""),
      fmt::arg("theirs", prepares ? theirs : "workspace"));
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
