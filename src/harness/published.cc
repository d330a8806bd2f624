// SPDX-License-Identifier: Apache-2.0
#include "harness/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/convert.h"

namespace kp::harness {
namespace {

constexpr float kLeastDivisor = 1e-8F;  // FlashInfer-Bench adds it to |expected|
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Element {
  float got, expected;
};

class Outputs {
 public:
  explicit Outputs(const PublishedOutput& output) : output_(output) {}
  std::size_t count() const { return output_.got.size(); }
  Element at(std::size_t i) const {
    return {static_cast<float>(output_.got[i]),
            static_cast<float>(rounded(output_.dtype, output_.expected[i]))};
  }

 private:
  const PublishedOutput& output_;
};

/// NaN stays once it is there, as in a maximum of PyTorch.
void raise(double& most, double value) {
  if (std::isnan(value) || value > most) most = value;
}

struct Count {
  std::size_t off = 0, all = 0;
};

void conclude(PublishedVerdict& verdict, const Tolerance& tolerance, const Count& count) {
  if (count.all == 0) return;
  const double matched = 1 - static_cast<double>(count.off) / static_cast<double>(count.all);
  verdict.matched = std::min(verdict.matched, matched);
  if (matched < tolerance.matched) verdict.passed = false;
}

/// Only what the candidate computed must be finite.
void judge_flashinfer(PublishedVerdict& verdict, const Tolerance& tolerance,
                      const Outputs& outputs) {
  Count count{0, outputs.count()};
  for (std::size_t i = 0; i < outputs.count(); ++i) {
    const auto [got, expected] = outputs.at(i);
    verdict.has_infinity |= std::isinf(got);
    verdict.has_nan |= std::isnan(got);
    const float absolute = std::fabs(got - expected);
    const float relative = absolute / (std::fabs(expected) + kLeastDivisor);
    if (absolute > static_cast<float>(tolerance.absolute) &&
        relative > static_cast<float>(tolerance.relative))
      ++count.off;
    raise(verdict.max_absolute_error, absolute);
    raise(verdict.max_relative_error, relative);
  }
  if (verdict.has_infinity || verdict.has_nan) verdict.passed = false;
  conclude(verdict, tolerance, count);
}

bool excused(const Tolerance& tolerance, const Element& e) {
  return tolerance.negative_infinity && e.got == -kInfinity && e.expected == -kInfinity;
}

/// Whether the outputs can be compared at all: finite, and not all zero where something is
/// expected.
bool sane(PublishedVerdict& verdict, const Tolerance& tolerance, const Outputs& outputs) {
  double norm = 0;
  bool nan = false, finite = true, zero = true;
  for (std::size_t i = 0; i < outputs.count(); ++i) {
    const Element e = outputs.at(i);
    if (excused(tolerance, e)) continue;
    nan |= std::isnan(e.got) || std::isnan(e.expected);
    finite &= std::isfinite(e.got) && std::isfinite(e.expected);
    zero &= e.got == 0;
    norm = std::hypot(norm, static_cast<double>(e.expected));
  }
  verdict.has_nan |= nan;
  verdict.has_infinity |= !finite && !nan;
  if (!finite) return false;
  if (!zero || norm == 0) return true;
  raise(verdict.max_absolute_error, norm);
  raise(verdict.max_relative_error, norm);
  verdict.matched = 0;
  return false;
}

void judge_sol(PublishedVerdict& verdict, const Tolerance& tolerance, const Outputs& outputs) {
  if (!sane(verdict, tolerance, outputs)) {
    verdict.passed = false;
    return;
  }
  Count count;
  const auto absolute_limit = static_cast<float>(tolerance.absolute);
  for (std::size_t i = 0; i < outputs.count(); ++i) {
    const Element e = outputs.at(i);
    if (excused(tolerance, e)) continue;
    ++count.all;
    const float error = std::fabs(e.got - e.expected), size = std::fabs(e.expected);
    if (error > absolute_limit + static_cast<float>(tolerance.relative) * size) ++count.off;
    if (tolerance.cap && error > static_cast<float>(*tolerance.cap)) verdict.passed = false;
    raise(verdict.max_absolute_error, error);
    raise(verdict.max_relative_error, error / std::max(size, absolute_limit));
  }
  conclude(verdict, tolerance, count);
}

}  // namespace

void judge_published(PublishedVerdict& verdict, const Tolerance& tolerance,
                     const PublishedOutput& output) {
  verdict.rule = name_of(tolerance.rule);
  verdict.required = tolerance.matched;
  const Outputs outputs(output);
  if (tolerance.rule == Tolerance::Rule::kFlashInfer)
    judge_flashinfer(verdict, tolerance, outputs);
  else
    judge_sol(verdict, tolerance, outputs);
}

std::string to_note(const PublishedVerdict& verdict) {
  const char* special = verdict.has_nan        ? ", NaN among the outputs"
                        : verdict.has_infinity ? ", infinities among the outputs"
                                               : "";
  return fmt::format(
      "by the tolerance of {}, workload {}: {} ({:.4g} % of elements match, {:.4g} % must; largest "
      "error {:.3g}, relative {:.3g}{})",
      verdict.rule, verdict.workload, verdict.passed ? "passes" : "fails", 100 * verdict.matched,
      100 * verdict.required, verdict.max_absolute_error, verdict.max_relative_error, special);
}

}  // namespace kp::harness
