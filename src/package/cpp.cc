// SPDX-License-Identifier: Apache-2.0
// A header and CUDA sources with a typed launcher, a regression test in C++, and CMakeLists.txt.
#include <fmt/format.h>

#include "assets/package_build.h"
#include "assets/package_gate_rules.h"
#include "assets/package_regression.h"
#include "assets/package_test.h"
#include "base/text.h"
#include "package/library.h"
#include "package/names.h"
#include "package/regression.h"
#include "package/template.h"

namespace kp::package {
namespace {

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
    Blanks blanks;
    for (const std::string& axis : chosen_axes(delivery_)) add_axis(blanks, axis);
    int seed = 0;
    for (const Tensor& tensor : delivery_.task.declaration.tensors) {
      if (tensor.shape.empty())
        add_scalar(blanks, tensor);
      else
        add_array(blanks, tensor, ++seed);
    }
    KP_TRY(const std::string cases, case_lines());
    const std::string_view prepare =
        has_prepare(delivery_)
            ? "  if (!regression::ok(op::prepare(arguments, workspace.address(), nullptr), "
              "\"prepare\")) return false;\n"
            : "";
    return filled(assets::package_test, {{"name", std::string(delivery_.name)},
                                         {"members", blanks.members},
                                         {"cases", cases},
                                         {"arrays", blanks.arrays},
                                         {"arguments", blanks.arguments},
                                         {"unaligned", blanks.unaligned},
                                         {"axes", join(blanks.axes, ", ")},
                                         {"prepare", std::string(prepare)},
                                         {"outputs", blanks.outputs},
                                         {"comparisons", blanks.comparisons}});
  }

 private:
  /// What the template of the test leaves open, line after line.
  struct Blanks {
    std::string members, arrays, arguments, unaligned, outputs, comparisons;
    std::vector<std::string> axes;
  };

  static void add_axis(Blanks& blanks, const std::string& axis) {
    const std::string name = identifier_of(axis);
    blanks.members += fmt::format("  std::int64_t {};\n", name);
    blanks.arguments += fmt::format("  arguments.{0} = shape.{0};\n", name);
    blanks.axes.push_back("shape." + name);
  }

  static void add_scalar(Blanks& blanks, const Tensor& tensor) {
    const std::string name = identifier_of(tensor.name);
    blanks.members += fmt::format("  double {};\n", name);
    blanks.arguments += fmt::format("  arguments.{0} = regression::encoded<{1}>(shape.{0});\n",
                                    name, cpp_type(tensor.dtype));
  }

  void add_array(Blanks& blanks, const Tensor& tensor, int seed) const {
    const std::string name = identifier_of(tensor.name);
    blanks.members += fmt::format("  std::size_t {0}_count;\n  Distribution {0}_fill;\n", name);
    blanks.arrays += array_lines(tensor, seed);
    blanks.arguments += address_line(tensor, "", "");
    blanks.unaligned += "  if (shape." + name + "_count > 1) {\n" +
                        address_line(tensor, "", " + 1") +
                        "    if (!takes(false, arguments, \"unaligned " + name +
                        "\")) return false;\n  " + address_line(tensor, "", "") + "  }\n";
    if (!is_output(tensor)) return;
    blanks.outputs += address_line(tensor, "_original", "");
    blanks.comparisons += comparison(tensor);
  }

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
                   filled(assets::package_build,
                          {{"name", std::string(delivery.name)},
                           {"about", std::string(delivery.task.name + ", exported by KernelPro")},
                           {"architecture", std::string(architecture)}})});
  return files;
}

}  // namespace kp::package
