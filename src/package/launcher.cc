// SPDX-License-Identifier: Apache-2.0
#include "package/launcher.h"

#include <fmt/format.h>

#include <algorithm>

#include "assets/package_version.h"
#include "base/text.h"
#include "package/arithmetic.h"
#include "package/kernel_source.h"
#include "package/names.h"
#include "package/template.h"

namespace kp::package {
namespace {

constexpr std::int64_t kWithoutOptIn = 48 << 10;  // bytes of dynamic shared memory, CUDA

struct ArrayText {
  std::string address;
  DType dtype = DType::kF32;
  const std::vector<Expr>* shape = nullptr;
};

class VersionWriter {
 public:
  VersionWriter(const Delivery& delivery, const Candidate& candidate, std::string prefix)
      : declaration_(delivery.task.declaration),
        plan_(candidate.plan),
        tune_(candidate.tune),
        prefix_(std::move(prefix)) {}

  Result<std::string> buffer_lines() const {
    std::string text;
    for (const ScratchBuffer& buffer : plan_.buffers) {
      KP_TRY(const std::string bytes, bytes_of(buffer.dtype, buffer.shape));
      text += fmt::format("  void* const {} = workspace.take({});\n", identifier_of(buffer.name),
                          bytes);
    }
    return text;
  }

  Result<std::string> zeroed_lines() const {
    std::string text;
    for (const ScratchBuffer& buffer : plan_.buffers) {
      if (!buffer.zeroed) continue;
      KP_TRY(const std::string line, zero_line(buffer.name));
      text += line;
    }
    return text;
  }

  /// Descriptors that `steps` pass on.
  Result<std::string> map_lines(const std::vector<Step>& steps) const {
    std::string text;
    for (const TensorMap& map : plan_.tensor_maps) {
      if (!passes(steps, map.name)) continue;
      const ArrayText array = array_of(map.tensor);
      KP_TRY(const std::string extents, innermost_first(*array.shape));
      KP_TRY(const std::string box, innermost_first(map.box));
      const std::string swizzle = map.swizzle == "none" ? "NONE" : map.swizzle;
      text += fmt::format(
          "  const CUtensorMap {} =\n      launch.map<{}>({}, CU_TENSOR_MAP_DATA_TYPE_{}, {}, "
          "{{{}}}, {{{}}},\n                 CU_TENSOR_MAP_SWIZZLE_{});\n",
          identifier_of(map.name), map.box.size(), array.address, tensor_map_type(array.dtype),
          size_of(array.dtype), extents, box, swizzle);
    }
    return text;
  }

  Result<std::string> step_lines(const std::vector<Step>& steps) const {
    std::string text;
    for (const Step& step : steps) {
      const auto* launch = std::get_if<Launch>(&step);
      KP_TRY(const std::string line,
             launch != nullptr ? launch_line(*launch) : zero_line(std::get<ZeroStep>(step).buffer));
      text += line;
    }
    return text;
  }

 private:
  static bool passes(const std::vector<Step>& steps, const std::string& name) {
    return std::any_of(steps.begin(), steps.end(), [&name](const Step& step) {
      const auto* launch = std::get_if<Launch>(&step);
      return launch != nullptr && std::any_of(launch->arguments.begin(), launch->arguments.end(),
                                              [&](const auto& given) {
                                                const auto* text =
                                                    std::get_if<std::string>(&given.value);
                                                return text != nullptr && *text == name;
                                              });
    });
  }

  Result<std::string> source(const Expr& expr) const {
    return source_of(expr, tune_, Language::kCpp);
  }

  Result<std::string> listed(const std::vector<const Expr*>& expressions) const {
    std::vector<std::string> parts;
    for (const Expr* expr : expressions) {
      KP_TRY(parts.emplace_back(), source(*expr));
    }
    return join(parts, ", ");
  }

  Result<std::string> innermost_first(const std::vector<Expr>& expressions) const {
    std::vector<const Expr*> reversed;
    for (auto expr = expressions.rbegin(); expr != expressions.rend(); ++expr)
      reversed.push_back(&*expr);
    return listed(reversed);
  }

  Result<std::string> bytes_of(DType dtype, const std::vector<Expr>& shape) const {
    std::string product = fmt::format("Whole({})", size_of(dtype));
    for (const Expr& dimension : shape) {
      KP_TRY(const std::string text, source(dimension));
      const bool simple = dimension.postfix().size() == 1;
      product += simple ? " * " + text : fmt::format(" * ({})", text);
    }
    return product;
  }

  /// Trailing ones are left out, as in the plan.
  Result<std::string> extent(const Dim3Expr& dims) const {
    std::vector<const Expr*> all{&dims.x, &dims.y, &dims.z};
    while (all.size() > 1 && *all.back() == Expr(1)) all.pop_back();
    KP_TRY(const std::string text, listed(all));
    return "{" + text + "}";
  }

  ArrayText array_of(const std::string& name) const {
    if (const Tensor* tensor = declaration_.find(name))
      return {"arguments." + identifier_of(name), tensor->dtype, &tensor->shape};
    const ScratchBuffer* buffer = plan_.find_buffer(name);
    return {identifier_of(name), buffer->dtype, &buffer->shape};
  }

  Result<std::string> zero_line(const std::string& name) const {
    const ArrayText array = array_of(name);
    KP_TRY(const std::string bytes, bytes_of(array.dtype, *array.shape));
    return fmt::format("  launch.zero({}, {});\n", array.address, bytes);
  }

  Result<std::string> argument(const Argument& argument) const {
    if (const auto* real = std::get_if<double>(&argument.value)) return fmt::format("{:#}", *real);
    if (const auto* expr = std::get_if<Expr>(&argument.value)) {
      KP_TRY(const std::string text, source(*expr));
      return expr->evaluate(tune_) ? fmt::format("Whole({})", text) : text;
    }
    const std::string& name = std::get<std::string>(argument.value);
    if (declaration_.find(name)) return "arguments." + identifier_of(name);
    const auto tuned = tune_.find(name);
    return tuned == tune_.end() ? identifier_of(name) : fmt::format("Whole({})", tuned->second);
  }

  Result<std::string> launch_line(const Launch& launch) const {
    KP_TRY(const std::string grid, extent(launch.grid));
    KP_TRY(const std::string block, extent(launch.block));
    KP_TRY(const std::string shared, source(launch.shared_bytes));
    std::string text = fmt::format("  {{\n    Shape shape{{{}, {}}};\n", grid, block);
    const auto fixed = launch.shared_bytes.evaluate(tune_);
    if (!fixed || *fixed != 0) text += fmt::format("    shape.shared = {};\n", shared);
    if (!fixed || *fixed > kWithoutOptIn)
      text += "    static SharedOptIn opt_in;\n    shape.opt_in = &opt_in;\n";
    if (launch.cluster) {
      KP_TRY(const std::string cluster, extent(*launch.cluster));
      text += fmt::format("    shape.cluster = {};\n", cluster);
    }
    if (launch.cooperative) text += "    shape.cooperative = true;\n";
    text += fmt::format("    launch({}::{}, shape", prefix_, exported_name(prefix_, launch.kernel));
    for (const Argument& given : launch.arguments) {
      KP_TRY(const std::string value, argument(given));
      text += ", " + value;
    }
    return text + ");\n  }\n";
  }

  const Declaration& declaration_;
  const Plan& plan_;
  const Bindings& tune_;
  std::string prefix_;
};

/// Statements are the same in all three functions, and not each of them uses all.
std::string undefined(const std::vector<std::string>& macros) {
  std::string text;
  for (const std::string& macro : macros) text += "#undef " + macro + "\n";
  return text;
}

}  // namespace

Result<std::string> axis_lines(const Delivery& delivery) {
  std::string text;
  for (const task::AxisSpec& axis : delivery.axes) {
    const std::string name = identifier_of(axis.name);
    std::string value = "arguments." + name;
    if (axis.kind == task::AxisSpec::Kind::kConst) value = std::to_string(axis.value);
    if (axis.kind == task::AxisSpec::Kind::kExpr) {
      KP_TRY(value, source_of(axis.expr, {}, Language::kCpp));
    }
    text += fmt::format("  const Whole {} = {};\n", name, value);
  }
  return text;
}

Result<File> write_version(const Delivery& delivery, const Candidate& candidate,
                           const std::string& version) {
  const std::string& name = delivery.name;
  const std::string prefix = fmt::format("{}_{}", name, version);
  KP_TRY(const KernelSource kernels, kernel_source(candidate, prefix));
  const VersionWriter writer(delivery, candidate, prefix);
  KP_TRY(const std::string axes, axis_lines(delivery));
  KP_TRY(const std::string buffers, writer.buffer_lines());
  KP_TRY(const std::string maps, writer.map_lines(candidate.plan.steps));
  KP_TRY(const std::string early_maps, writer.map_lines(candidate.plan.prepare));
  KP_TRY(const std::string zeroed, writer.zeroed_lines());
  KP_TRY(const std::string prepare, writer.step_lines(candidate.plan.prepare));
  KP_TRY(const std::string steps, writer.step_lines(candidate.plan.steps));
  std::string text =
      fmt::format("// The {} kernels of {}, and how they are launched.\n", version, name);
  text += kernels.text + "\n" + undefined(kernels.macros);
  text += fmt::format("#include \"{0}.h\"\n#include \"{0}_launch.cuh\"\n", name);
  text += filled(assets::package_version, {{"name", std::string(name)},
                                           {"version", std::string(version)},
                                           {"axes", std::string(axes)},
                                           {"buffers", std::string(buffers)},
                                           {"prepare", std::string(prepare)},
                                           {"maps", std::string(maps)},
                                           {"early_maps", std::string(early_maps)},
                                           {"zeroed", std::string(zeroed)},
                                           {"steps", std::string(steps)}});
  return File{prefix + ".cu", std::move(text)};
}

}  // namespace kp::package
