// SPDX-License-Identifier: Apache-2.0
#include "diagnose/bound.h"

#include <algorithm>
#include <cmath>

namespace kp::diagnose {
namespace {

constexpr double kCriticalShare = 0.30;
constexpr double kWarningShare = 0.10;
constexpr double kInfoShare = 0.03;
// No fix takes all of the time away; this keeps the formulas finite.
constexpr double kMostShare = 0.99;
// Of the promised logarithm, from 40 pairs of bench/corpus: measured on H200 SXM.
constexpr double kMeasuredExponent = 1.8;
constexpr double kBeyondBound = 1.15;  // streams exceed the sustained bandwidth a little
constexpr double kFirstEta = 0.5;      // before a tool has a record
// A range wider than this says nothing: high / low.
constexpr double kWidestRange = 3;

}  // namespace

double amdahl(double share) { return 1 / (1 - std::clamp(share, 0.0, kMostShare)); }

Gain with_eta(Gain gain, double eta) {
  gain.low =
      std::max(amdahl(std::clamp(eta, 0.0, 1.0) * (1 - 1 / gain.high)), gain.high / kWidestRange);
  return gain;
}

Gain gain_of(const Evidence& evidence, double share, double cap, double eta) {
  const double kernel_gain = std::clamp(amdahl(share), 1.0, std::max(1.0, cap));
  const double of_run = evidence.kernel.share;
  const double run_gain = 1 / ((1 - of_run) + of_run / kernel_gain);
  return with_eta({1, std::clamp(run_gain, 1.0, std::max(1.0, evidence.headroom))}, eta);
}

std::optional<Severity> severity_of(double share) {
  if (share >= kCriticalShare) return Severity::kCritical;
  if (share >= kWarningShare) return Severity::kWarning;
  if (share >= kInfoShare) return Severity::kInfo;
  return std::nullopt;
}

namespace {

/// What the throughputs of hardware promise, as pairs of faults and mended twins keep it: a cure
/// eases more than the resource that it is about.
Gain as_measured(const Evidence& evidence, Gain gain, double cap) {
  const std::optional<Metric> time = evidence.kernel.metrics.find(metric::kDuration.name);
  if (!time || time->grade != Grade::kMeasured || evidence.get(metric::kModelLatency)) return gain;
  gain.high = std::min({std::pow(gain.high, kMeasuredExponent), std::max(1.0, cap),
                        std::max(1.0, kBeyondBound * evidence.headroom)});
  return with_eta(gain, kFirstEta);
}

}  // namespace

std::optional<Finding> weigh(const Evidence& evidence, std::string_view tool, double share,
                             double cap, std::optional<Severity> least) {
  const Gain gain = gain_of(evidence, share, cap);
  // An empty optional compares less than any severity.
  const std::optional<Severity> severity = std::max(severity_of(1 - 1 / gain.high), least);
  if (!severity) return std::nullopt;
  Finding finding;
  finding.tool = std::string(tool);
  finding.kernel = evidence.kernel.kernel;
  finding.severity = *severity;
  finding.gain = as_measured(evidence, gain, cap);
  return finding;
}

}  // namespace kp::diagnose
