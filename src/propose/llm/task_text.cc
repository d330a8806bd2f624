// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/task_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "propose/llm/quoted.h"

namespace kp::propose {
namespace {

constexpr std::size_t kShortReference = 3000;  // bytes; about 860 tokens
constexpr std::size_t kMostWorkloads = 12;     // of a role; the others are counted

std::string shape_of(const Tensor& tensor) {
  std::string text;
  for (const Expr& extent : tensor.shape) text += (text.empty() ? "" : ", ") + extent.text();
  return text.empty() ? text : "[" + text + "]";
}

std::string text_of(const Distribution& d) {
  switch (d.kind) {
    case Distribution::Kind::kNormal:
      return "normal";
    case Distribution::Kind::kUniform:
      return fmt::format("uniform({:g}, {:g})", d.low, d.high);
    case Distribution::Kind::kInteger:
      return fmt::format("int({:.15g}, {:.15g})", d.low, d.high);
  }
  return "";
}

std::string fill_of(const Tensor& tensor) {
  if (tensor.role == TensorRole::kOutput || tensor.shape.empty()) return "";
  const std::string structure = text_of(tensor.structure);
  if (tensor.structure.two) return " ~ " + structure;
  return " ~ " + text_of(tensor.distribution) + (structure.empty() ? "" : ", " + structure);
}

std::string line_of(const Tensor& tensor) {
  std::string text = fmt::format("    {:<6} {} : {}{}{}", name_of(tensor.role), tensor.name,
                                 name_of(tensor.dtype), shape_of(tensor), fill_of(tensor));
  if (tensor.scalar) text += fmt::format(" = {:g}", *tensor.scalar);
  return text + "\n";
}

std::string line_of(const Workload& workload) {
  std::string text;
  for (const auto& [axis, value] : workload.axes) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", axis, value);
  }
  for (const auto& [scalar, value] : workload.scalars) {
    text += fmt::format(", {} = {:g}", scalar, value);
  }
  return text;
}

std::string workloads_of(const Task& task, WorkloadRole role, std::string_view label) {
  const auto list = task.with_role(role);
  std::string text;
  for (std::size_t i = 0; i < std::min(list.size(), kMostWorkloads); ++i) {
    text += fmt::format("    {} {}\n", label, line_of(*list[i]));
  }
  if (list.size() > kMostWorkloads) {
    text += fmt::format("    and {} more to {}\n", list.size() - kMostWorkloads, label);
  }
  return text;
}

bool has_native_halves(const Declaration& declaration) {
  return std::any_of(declaration.tensors.begin(), declaration.tensors.end(),
                     [](const Tensor& t) { return is_floating(t.dtype) && size_of(t.dtype) == 2; });
}

std::string tolerance(const Declaration& declaration) {
  return fmt::format(
      "Precision class {}: the relative L2 error of each output, and of each 1024 elements of it, "
      "may be about {:g}; integers are exact. Arithmetic of a looser class is refused by its "
      "error.\n",
      name_of(declaration.precision),
      class_gate(declaration.precision, has_native_halves(declaration)));
}

std::string work_of(const Task& task) {
  const Work& work = task.declaration.work;
  std::string text;
  if (work.flops) text += fmt::format("at least {} floating-point operations", work.flops->text());
  if (work.bytes)
    text += fmt::format("{}at least {} bytes", text.empty() ? "" : ", ", work.bytes->text());
  if (work.contraction) text += text.empty() ? "a contraction" : ", a contraction";
  return text.empty() ? text : fmt::format("The work: {}.\n", text);
}

/// Without the lines that every reference begins with.
std::string without_licence(std::string_view text) {
  std::string out;
  for (const std::string_view line : split_lines(text)) {
    if (line.find("SPDX-License-Identifier") == std::string_view::npos) (out += line) += '\n';
  }
  return out;
}

}  // namespace

std::string task_text(const Task& task) {
  std::string text = fmt::format("# The task: {}\n\n", task.name);
  if (!task.description.empty()) text += task.description + "\n\n";
  for (const Tensor& tensor : task.declaration.tensors) text += line_of(tensor);
  text += "\nWorkloads:\n";
  text += workloads_of(task, WorkloadRole::kCheck, "check");
  text += workloads_of(task, WorkloadRole::kTime, "time");
  text += "\n" + work_of(task) + tolerance(task.declaration);
  return text;
}

Result<std::string> reference_text(const Task& task) {
  if (!task.reference.empty() && task.reference.size() <= kShortReference) {
    return "\nThe definition in PyTorch:\n\n" + fenced(task.reference, "python");
  }
  if (task.oracle.kind != Oracle::Kind::kHost) return std::string();
  KP_TRY(const std::string source, read_text(task.oracle.source));
  if (source.size() > kShortReference) return std::string();
  return "\nThe reference, in double on the host:\n\n" + fenced(without_licence(source), "cpp");
}

std::string hardware_text(const DeviceSpec& spec) {
  constexpr double kTera = 1e12, kKibi = 1024, kMebi = 1024 * 1024;
  std::string text = fmt::format("# The device: {} ({})\n\n", spec.product, spec.architecture);
  text += fmt::format(
      "{} SMs at {:.2f} GHz, {} schedulers each; per SM {} warps, {} blocks, {} 32-bit registers "
      "(at most {} a thread), {:.0f} KiB of shared memory (at most {:.0f} KiB a block, {:.0f} KiB "
      "without opt-in; the harness opts in), {:.0f} KiB of L1 and shared memory together.\n",
      spec.sm_count, spec.clock_hz / 1e9, spec.schedulers_per_sm, spec.warps_per_sm,
      spec.blocks_per_sm, spec.registers_per_sm, spec.registers_per_thread,
      static_cast<double>(spec.shared_per_sm) / kKibi,
      static_cast<double>(spec.shared_per_block) / kKibi,
      static_cast<double>(spec.shared_static) / kKibi, static_cast<double>(spec.l1_bytes) / kKibi);
  text += fmt::format(
      "L2 {:.0f} MiB at {:.1f} TB/s; device memory {:.1f} TB/s peak, {:.1f} TB/s sustained.\n",
      static_cast<double>(spec.l2_bytes) / kMebi, spec.l2_bandwidth / kTera, spec.dram_peak / kTera,
      spec.dram_sustained / kTera);
  text +=
      fmt::format("Without tensor cores: f32 {:.1f} TFLOP/s, f64 {:.1f} TFLOP/s. Best datapath:",
                  spec.scalar_flops_f32 / kTera, spec.scalar_flops_f64 / kTera);
  std::string peaks;
  for (const auto& [precision, flops] : spec.flops) {
    peaks +=
        fmt::format("{} {} {:.0f}", peaks.empty() ? "" : ",", name_of(precision), flops / kTera);
  }
  return text + peaks + " TFLOP/s (tf32 and narrower on tensor cores).\n";
}

}  // namespace kp::propose
