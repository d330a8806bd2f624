// SPDX-License-Identifier: Apache-2.0
#include "diagnose/mix.h"

#include <algorithm>
#include <array>

#include "diagnose/warp.h"
#include "vgpu/time_model.h"

namespace kp::diagnose {
namespace {

constexpr double kRefinement = 8;  // most steps that one XU operation can stand for; own

double xu_count(const Evidence& e, double xu_rate) {
  if (const std::optional<double> counted = e.get(metric::kXuInst)) return *counted;
  const std::optional<double> percent = e.get(metric::kXuPct);
  const std::optional<double> time = e.get(metric::kDuration);
  if (!percent || !time) return 0;
  return *percent / 100 * xu_rate * e.device.sm_count * e.device.clock_hz * *time * 1e-9;
}

/// What the XU executes where the machine code asks it for no function: conversions from and to
/// 64-bit types have no other pipe (CUDA C++ Programming Guide, arithmetic throughput: 16 a clock
/// and SM, as the XU's functions; all others have 64).
double conversions_of_pipe(const Evidence& e, const InstructionCounts& counts) {
  const bool functions = e.get(metric::kSassInnerXu).value_or(1) > 0;
  return functions || counts.f64 <= 0 || e.get(metric::kXuInst) ? 0 : counts.xu;
}

/// Conversions on lines that compute in double, and at least one for each operation: an expression
/// over several lines may convert on one and compute on another.
double double_conversions(const Evidence& e, const InstructionCounts& counts) {
  double on_lines = 0;
  for (const LineProfile& line : e.kernel.lines) on_lines += line.fp64 > 0 ? line.conversions : 0;
  return std::min(counts.conversions,
                  std::max({on_lines, counts.f64, conversions_of_pipe(e, counts)}));
}

double refinement_of(const Evidence& e, const InstructionCounts& counts) {
  const std::optional<double> memory = e.get(metric::kMemoryInst);
  if (!memory) return 0;
  const double half =
      e.or_zero(metric::kHadd) + e.or_zero(metric::kHmul) + e.or_zero(metric::kHfma);
  const double known = counts.f32() + counts.f64 + half + counts.xu + counts.conversions +
                       counts.integer + counts.control + *memory;
  return std::clamp(counts.all - known, 0.0, kRefinement * counts.xu);
}

}  // namespace

InstructionCounts counts_of(const Evidence& e, double xu_rate) {
  InstructionCounts counts;
  counts.all =
      *e.get(metric::kInstructions) * e.get(metric::kThreadsPredOnPerInst).value_or(kLanesPerWarp);
  counts.fadd = *e.get(metric::kFadd);
  counts.fmul = *e.get(metric::kFmul);
  counts.ffma = *e.get(metric::kFfma);
  counts.f64 = *e.get(metric::kDadd) + *e.get(metric::kDmul) + *e.get(metric::kDfma);
  counts.conversions = *e.get(metric::kConversionInst);
  counts.xu = xu_count(e, xu_rate);
  counts.conversions64 = double_conversions(e, counts);
  // The pipe's utilisation counts conversions to double too, which the same lanes do.
  if (!e.get(metric::kXuInst)) counts.xu = std::max(0.0, counts.xu - counts.conversions64);
  counts.integer = *e.get(metric::kIntegerInst);
  counts.control = *e.get(metric::kControlInst);
  counts.refinement = refinement_of(e, counts);
  return counts;
}

double PipeRates::xu_clocks(const InstructionCounts& counts) const {
  return counts.xu / xu + counts.conversions64 / conversion64;
}

double PipeRates::longest(const InstructionCounts& counts) const {
  return std::max({(counts.f32() + counts.refinement) / f32, counts.f64 / f64, xu_clocks(counts),
                   counts.integer / integer,
                   (counts.conversions - counts.conversions64) / conversion});
}

std::optional<PipeRates> pipe_rates(const DeviceSpec& device) {
  const Result<vgpu::TimeConstants> constants = vgpu::time_constants(device);
  if (!constants) return std::nullopt;
  return PipeRates{constants->lanes_fp32,       constants->lanes_fp64,
                   constants->lanes_int,        constants->lanes_xu,
                   constants->lanes_conversion, constants->lanes_conversion_wide};
}

double warp_instructions(const Evidence& e, std::initializer_list<MetricKey> keys) {
  double threads = 0;
  for (const MetricKey& key : keys) threads += e.or_zero(key);
  return threads / kLanesPerWarp;
}

double pipe_left(const Evidence& e, double integer) {
  constexpr std::array kMix{metric::kInstructions, metric::kFadd,           metric::kFmul,
                            metric::kFfma,         metric::kDadd,           metric::kDmul,
                            metric::kDfma,         metric::kConversionInst, metric::kIntegerInst,
                            metric::kControlInst};
  const std::optional<PipeRates> rates = pipe_rates(e.device);
  if (!rates || !std::all_of(kMix.begin(), kMix.end(), [&](const auto& key) { return e.get(key); }))
    return 1;
  InstructionCounts counts = counts_of(e, rates->xu);
  const double before = rates->longest(counts);
  counts.integer *= integer;
  return before > 0 ? rates->longest(counts) / before : 1;
}

}  // namespace kp::diagnose
