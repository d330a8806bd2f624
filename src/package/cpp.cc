// SPDX-License-Identifier: Apache-2.0
// A header and CUDA sources with a typed launcher, a regression test in C++, and CMakeLists.txt.
#include <fmt/format.h>

#include "assets/package_gate_rules.h"
#include "assets/package_regression.h"
#include "base/text.h"
#include "package/library.h"
#include "package/names.h"
#include "package/regression.h"

namespace kp::package {
namespace {

constexpr std::string_view kTest =
    R"(// Regression test of {name}: the optimised kernels beside the original ones, on the shapes they
// were verified on and on one that the guard refuses. Exit status: 0 right, 1 wrong, 77 no device.
#include "{name}.h"

#include <cstdio>

#include "regression.cuh"

namespace {{

namespace op = kernelpro::{name};
using regression::Array;
using regression::Distribution;
using regression::Fill;

struct Case {{
  const char* name;
  bool served;  // by the optimised kernels
{members}}};

constexpr Case kCases[] = {{
{cases}}};

bool takes(bool served, const op::Arguments& arguments, const char* what) {{
  if ((op::version_for(arguments) == op::Version::kOptimized) == served) return true;
  std::printf("  the guard should %s %s\n", served ? "accept" : "refuse", what);
  return false;
}}

bool run(const op::Arguments& arguments, void* workspace, const op::Version* version) {{
  const cudaError_t status = version == nullptr
                                 ? op::launch(arguments, workspace, nullptr)
                                 : op::launch(*version, arguments, workspace, nullptr);
  return regression::ok(status, "launch") &&
         regression::ok(cudaDeviceSynchronize(), "synchronize");
}}

bool passes(const Case& shape) {{
{arrays}  op::Arguments arguments;
{arguments}  if (!takes(shape.served, arguments, "this shape")) return false;
{unaligned}  const std::int64_t bytes = op::workspace_bytes({axes});
  if (bytes < 0) return false;
  const regression::Memory workspace(static_cast<std::size_t>(bytes));
  if (!workspace.good()) return false;
{prepare}  if (!run(arguments, workspace.address(), nullptr)) return false;
{outputs}  const op::Version original = op::Version::kOriginal;
  if (!run(arguments, workspace.address(), &original)) return false;
{comparisons}  return true;
}}

}}  // namespace

int main() {{
  int devices = 0, failures = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {{
    std::printf("{name}: not run: no device\n");
    return 77;
  }}
  for (const Case& shape : kCases) {{
    std::printf("{name}: %s, %s kernels\n", shape.name, shape.served ? "optimised" : "original");
    if (!passes(shape)) ++failures;
  }}
  std::printf("{name}: %s\n", failures == 0 ? "passed" : "FAILED");
  return failures == 0 ? 0 : 1;
}}
)";

constexpr std::string_view kBuild = R"(# {name}: {about}
cmake_minimum_required(VERSION 3.25)
project({name} LANGUAGES CXX CUDA)
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES OR CMAKE_CUDA_ARCHITECTURES_DEFAULTED)
  set(CMAKE_CUDA_ARCHITECTURES {architecture})  # what the kernels were verified for
endif()
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CUDA_STANDARD 17)
find_package(CUDAToolkit REQUIRED)

add_library({name} STATIC {name}.cu {name}_optimized.cu {name}_original.cu)
target_include_directories({name} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
target_link_libraries({name} PUBLIC CUDA::cudart)

enable_testing()
add_executable(test_{name} test_{name}.cc)
target_link_libraries(test_{name} {name})
add_test(NAME {name} COMMAND test_{name})
set_tests_properties({name} PROPERTIES SKIP_RETURN_CODE 77)
)";

/// bool has no vector of its own.
std::string element_type(DType type) {
  return type == DType::kBool ? "unsigned char" : std::string(cpp_type(type));
}

std::string fill_text(const Distribution& fill) {
  const char* kind = fill.kind == Distribution::Kind::kNormal    ? "kNormal"
                     : fill.kind == Distribution::Kind::kUniform ? "kUniform"
                                                                 : "kInteger";
  return fmt::format("{{Fill::{}, {}, {}}}", kind, fill.low, fill.high);
}

class TestWriter {
 public:
  explicit TestWriter(const Delivery& delivery) : delivery_(delivery) {}

  Result<std::string> write() const {
    std::string members, arrays, arguments, unaligned, outputs, comparisons;
    int seed = 0;
    for (const std::string& axis : chosen_axes(delivery_)) {
      const std::string name = identifier_of(axis);
      members += fmt::format("  std::int64_t {};\n", name);
      arguments += fmt::format("  arguments.{0} = shape.{0};\n", name);
    }
    for (const Tensor& tensor : delivery_.task.declaration.tensors) {
      const std::string name = identifier_of(tensor.name);
      if (tensor.shape.empty()) {
        members += fmt::format("  double {};\n", name);
        arguments += fmt::format("  arguments.{0} = regression::encoded<{1}>(shape.{0});\n", name,
                                 cpp_type(tensor.dtype));
        continue;
      }
      members += fmt::format("  std::size_t {0}_count;\n  Distribution {0}_fill;\n", name);
      arrays += array_lines(tensor, ++seed);
      arguments += address_line(tensor, "", "");
      unaligned += "  if (shape." + name + "_count > 1) {\n" + address_line(tensor, "", " + 1") +
                   "    if (!takes(false, arguments, \"unaligned " + name +
                   "\")) return false;\n  " + address_line(tensor, "", "") + "  }\n";
      if (!is_output(tensor)) continue;
      outputs += address_line(tensor, "_original", "");
      comparisons += comparison(tensor);
    }
    KP_TRY(const std::string cases, case_lines());
    std::vector<std::string> axes;
    for (const std::string& axis : chosen_axes(delivery_))
      axes.push_back("shape." + identifier_of(axis));
    const std::string_view prepare =
        has_prepare(delivery_)
            ? "  if (!regression::ok(op::prepare(arguments, workspace.address(), nullptr), "
              "\"prepare\")) return false;\n"
            : "";
    return fmt::format(kTest, fmt::arg("name", delivery_.name), fmt::arg("members", members),
                       fmt::arg("cases", cases), fmt::arg("arrays", arrays),
                       fmt::arg("arguments", arguments), fmt::arg("unaligned", unaligned),
                       fmt::arg("axes", join(axes, ", ")), fmt::arg("prepare", prepare),
                       fmt::arg("outputs", outputs), fmt::arg("comparisons", comparisons));
  }

 private:
  static std::string array_lines(const Tensor& tensor, int seed) {
    const std::string name = identifier_of(tensor.name), type = element_type(tensor.dtype);
    if (tensor.role == TensorRole::kOutput)
      return fmt::format(
          "  const Array<{0}> {1}(shape.{1}_count), {1}_original(shape.{1}_count);\n"
          "  if (!{1}.good() || !{1}_original.good()) return false;\n",
          type, name);
    const std::string drawn = fmt::format(
        "regression::drawn<{0}>(shape.{1}_count, shape.{1}_fill, {2})", type, name, seed);
    if (tensor.role == TensorRole::kInOut)
      return fmt::format(
          "  const auto {1}_values = {2};\n"
          "  const Array<{0}> {1}({1}_values), {1}_original({1}_values);\n"
          "  if (!{1}.good() || !{1}_original.good()) return false;\n",
          type, name, drawn);
    return fmt::format("  const Array<{0}> {1}({2});\n  if (!{1}.good()) return false;\n", type,
                       name, drawn);
  }

  static std::string address_line(const Tensor& tensor, const char* which, const char* offset) {
    const std::string name = identifier_of(tensor.name);
    std::string address = fmt::format("{}{}.data(){}", name, which, offset);
    if (tensor.dtype == DType::kBool) address = "reinterpret_cast<bool*>(" + address + ")";
    return fmt::format("  arguments.{} = {};\n", name, address);
  }

  std::string comparison(const Tensor& tensor) const {
    const auto gate = tolerance_of(delivery_, tensor);
    return fmt::format(
        "  {{\n    const regression::Rule rule{{\"{0}\", {{{1}, {2}, {3}, {4}, {5}, {6}, {7}, "
        "{8}}}, {9}}};\n"
        "    double error = 0;\n"
        "    if (!regression::agree(rule, {0}.values(), {0}_original.values(), &error)) "
        "return false;\n"
        "    std::printf(\"  {0}: relative difference %.2g\\n\", error);\n  }}\n",
        identifier_of(tensor.name), gate.share, gate.response_factor, gate.spread, gate.largest,
        gate.smallest_normal, gate.slack, gate.zero_mean, gate.no_infinity,
        rounding_of(tensor.dtype));
  }

  Result<std::string> case_lines() const {
    std::string text;
    for (const Case& shape : delivery_.cases) {
      text += fmt::format("    {{\"{}\", {}", plain(shape.workload.name), shape.served);
      for (const std::string& axis : chosen_axes(delivery_))
        text += fmt::format(", {}", shape.workload.axes.at(axis));
      for (const Tensor& tensor : delivery_.task.declaration.tensors) {
        if (tensor.shape.empty()) {
          const auto given = shape.workload.scalars.find(tensor.name);
          const double value =
              given != shape.workload.scalars.end() ? given->second : tensor.scalar.value_or(0);
          text += fmt::format(", {}", value);
          continue;
        }
        KP_TRY(const std::uint64_t count, element_count(tensor.shape, shape.workload.axes));
        text += fmt::format(", {}, {}", count, fill_text(fill_of(tensor, shape)));
      }
      text += "},\n";
    }
    return text;
  }

  const Delivery& delivery_;
};

}  // namespace

Result<std::vector<File>> write_cpp(const Delivery& delivery) {
  KP_TRY(auto files, write_library(delivery));
  KP_TRY(std::string test, TestWriter(delivery).write());
  files.push_back({"test_" + delivery.name + ".cc", std::move(test)});
  files.push_back({"regression.cuh", std::string(assets::package_regression)});
  files.push_back({"gate_rules.h", std::string(assets::package_gate_rules)});
  const std::string architecture = delivery.architecture.substr(std::string_view("sm_").size());
  files.push_back({"CMakeLists.txt",
                   fmt::format(kBuild, fmt::arg("name", delivery.name),
                               fmt::arg("about", delivery.task.name + ", exported by KernelPro"),
                               fmt::arg("architecture", architecture))});
  return files;
}

}  // namespace kp::package
