// SPDX-License-Identifier: Apache-2.0
#include "build/ptxas_log.h"

#include <cctype>

#include "base/text.h"

namespace kp::build {
namespace {

/// The number that stands before `unit`: 728 in "0 bytes stack frame, 728 bytes spill stores".
std::int64_t number_before(std::string_view line, std::string_view unit) {
  const std::size_t at = line.find(unit);
  if (at == std::string_view::npos) return 0;
  std::size_t end = at;
  while (end > 0 && line[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1]))) --begin;
  return parse_integer(line.substr(begin, end - begin)).value_or(0);
}

/// The name after `marker`, with or without quotes; empty when the line is another.
std::string_view name_after(std::string_view line, std::string_view marker) {
  const std::size_t at = line.find(marker);
  if (at == std::string_view::npos) return {};
  std::string_view name = trim(line.substr(at + marker.size()));
  if (!name.starts_with('\'')) return name;
  name.remove_prefix(1);
  return name.substr(0, name.find('\''));
}

bool is_ptxas_line(std::string_view line) {
  return line.starts_with("ptxas info") || line.starts_with("ptxas         .") ||
         line.find(" bytes stack frame") != std::string_view::npos;
}

}  // namespace

std::vector<KernelResources> read_ptxas_log(std::string_view log) {
  std::vector<KernelResources> kernels;
  bool of_callee = false;  // functions that were not inlined follow their kernel
  for (const std::string_view line : split_lines(log)) {
    if (const auto kernel = name_after(line, "Compiling entry function "); !kernel.empty()) {
      kernels.emplace_back().kernel = kernel;
    } else if (const auto function = name_after(line, "Function properties for ");
               !function.empty()) {
      of_callee = kernels.empty() || kernels.back().kernel != function;
    } else if (kernels.empty()) {
      continue;
    } else if (line.find(" bytes stack frame") != std::string_view::npos) {
      KernelResources& last = kernels.back();
      if (!of_callee) last.stack = number_before(line, "bytes stack frame");
      last.spill_stores += number_before(line, "bytes spill stores");
      last.spill_loads += number_before(line, "bytes spill loads");
    } else if (line.find(": Used ") != std::string_view::npos) {
      KernelResources& last = kernels.back();
      last.registers = static_cast<int>(number_before(line, "registers"));
      last.barriers = static_cast<int>(number_before(line, "barriers"));
      last.static_shared = number_before(line, "bytes smem");
      last.stack = std::max(last.stack, number_before(line, "bytes cumulative stack size"));
    }
  }
  return kernels;
}

std::string without_ptxas_lines(std::string_view log) {
  std::string kept;
  for (const std::string_view line : split_lines(log)) {
    if (line.empty() || is_ptxas_line(line)) continue;
    kept += line;
    kept += '\n';
  }
  return kept;
}

}  // namespace kp::build
