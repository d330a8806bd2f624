// SPDX-License-Identifier: Apache-2.0
// Sees:           arithmetic that the task does not ask for: double from a stray literal, slow
//                 exact functions, conversions, index and loop overhead, unfused multiply and add.
// Costs because:  these take issue slots and slow pipes (16 XU lanes against 128 of FP32 a clock).
// Try:            float literals; fast functions where the precision class allows; packed
//                 conversions; cheaper indices and unrolling; fmaf.
// Misleads when:  the kernel waits for memory or latency: then removing instructions wins no time,
//                 and the tool is silent. Fast functions change values; the class's gate decides.
// Source:         CUDA C++ Programming Guide, arithmetic throughput and intrinsic functions; rules
//                 FPInstructions and SlowPipeLimiter of Nsight Compute.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "diagnose/actions.h"
#include "diagnose/bound.h"
#include "diagnose/mix.h"
#include "diagnose/resources.h"
#include "diagnose/spots.h"
#include "diagnose/tool.h"

namespace kp::diagnose {
namespace {

constexpr double kLeastDouble = 0.005;  // of thread instructions; own
constexpr double kXuLeads = 0.60;       // XU clocks over those of the longest pipe
constexpr double kLeastXu = 0.02;       // of thread instructions; own
constexpr double kSlowPath = 6;         // instructions around an XU one that fast forms save; own
constexpr double kSlowPathSign = 4;     // FP32 instructions for each XU one; fewer: fast forms; own
constexpr double kConversionShare = 0.10;     // of thread instructions
constexpr double kOverheadShare = 0.50;       // integer and control, of thread instructions
constexpr double kOverheadIssue = 0.60;       // issue slots used
constexpr double kUnfused = 0.10;             // of FP32 instructions; Nsight Compute
constexpr double kRemovable = 0.5;            // of conversions, XU work and overhead; own
constexpr double kDoubleCap = 16;             // conversions to double serialise on the XU; own
constexpr double kCap = 4, kModestCap = 1.5;  // speed-up; own

constexpr std::array kNeeds{metric::kInstructions, metric::kFadd,           metric::kFmul,
                            metric::kFfma,         metric::kDadd,           metric::kDmul,
                            metric::kDfma,         metric::kConversionInst, metric::kIntegerInst,
                            metric::kControlInst};

using Counts = InstructionCounts;

/// All that a suspicion looks at.
struct Look {
  const Evidence& e;
  const PipeRates& rates;
  const Counts& now;
};
using LineWeight = std::function<double(const LineProfile&)>;

/// One suspicion: the counts if it were cured, and what to say.
struct Suspicion {
  Counts after;
  double cap = kModestCap;
  std::optional<Severity> least;  // to speak even when it costs next to nothing
  std::optional<Severity> most;   // where little is left to do
  std::string saw, remark;        // before and after the source lines
  std::string costs;
  std::vector<Prescription> prescriptions;
  LineWeight weight;
};

std::string counted(double part, std::string_view what, const Counts& counts) {
  return fmt::format("{} {} ({:.2g} % of thread instructions)", format_count(part), what,
                     100 * part / counts.all);
}

Prescription prescribe(std::string_view action, std::string text, std::string code) {
  return {std::string(action), std::move(text), std::move(code)};
}

std::optional<Suspicion> accidental_double(const Look& look) {
  const auto& [e, rates, now] = look;
  if (e.floor.double_data || e.floor.precision == Precision::kF64) return std::nullopt;
  if (now.f64 < kLeastDouble * now.all) return std::nullopt;
  // Hardly ever meant, cheap to mend, and far slower on devices with few double lanes.
  Suspicion s{.after = now, .cap = kDoubleCap, .least = Severity::kInfo};
  s.after.ffma += now.f64;
  s.after.f64 = 0;
  s.after.conversions -= now.conversions64;
  s.after.conversions64 = 0;
  s.after.all -= now.conversions64;
  s.saw = counted(now.f64, "double-precision operations", now);
  s.remark = fmt::format(", with {} conversions, though no tensor of the task is f64",
                         format_count(now.conversions));
  s.costs =
      "Double has fewer lanes than float, and conversions to and from it run on the XU at 16 a "
      "clock and SM";
  s.prescriptions = {
      prescribe(action::kFloatLiterals,
                "Write float literals and float functions: one double operand makes the "
                "whole expression double.",
                "0.25f * x  // not 0.25 * x\nsqrtf(x)   // not sqrt(x)")};
  s.weight = [](const LineProfile& l) { return l.fp64; };
  return s;
}

Prescription fast_math(Precision precision) {
  const std::string_view numerics =
      precision == Precision::kF32 ? "Numerics: __expf is within 2 + |1.17 x| ulp and __fdividef "
                                     "within 2 ulp (0 for divisors "
                                     "above 2^126), near 1e-6 for moderate x; the f32 gate decides"
                                   : "Numerics: within a few ulp of f32, far below the rounding of "
                                     "this task's precision class";
  return prescribe(
      action::kFastMath,
      fmt::format("Use fast functions for division, exponentials and roots. {}.", numerics),
      "__expf(x), __fdividef(a, b), rsqrtf(x)");
}

/// Takes `amount` instructions away: refinement first, then at most half of the arithmetic.
/// Functions that are fast already have little around them, and keep it.
void shed(Counts& counts, double amount) {
  if (counts.f32() + counts.refinement < kSlowPathSign * counts.xu) return;
  const double refinement = std::min(counts.refinement, amount);
  const double arithmetic = counts.f32() + counts.integer;
  const double rest = std::min(amount - refinement, kRemovable * arithmetic);
  const double scale = arithmetic > 0 ? 1 - rest / arithmetic : 1;
  counts.refinement -= refinement;
  counts.all -= refinement + rest;
  for (double* part : {&counts.fadd, &counts.fmul, &counts.ffma, &counts.integer}) *part *= scale;
}

std::optional<Suspicion> slow_functions(const Look& look) {
  const auto& [e, rates, now] = look;
  if (e.floor.precision == Precision::kF64 || now.xu < kLeastXu * now.all) return std::nullopt;
  Suspicion s{.after = now, .cap = kCap};
  shed(s.after, kSlowPath * now.xu);
  // Fast forms already: fewer of them is all that is left.
  if (now.f32() + now.refinement < kSlowPathSign * now.xu) s.most = Severity::kInfo;
  if (rates.xu_clocks(now) >= kXuLeads * rates.longest(now)) s.after.xu *= kRemovable;
  s.saw = counted(now.xu, "transcendental or reciprocal operations", now);
  s.costs =
      "The XU serves 16 lanes a clock and SM, and exact functions wrap each of its operations in "
      "range checks and corrections";
  s.prescriptions = {fast_math(e.floor.precision),
                     prescribe(action::kStrengthReduce,
                               "Use fewer of them: exp2f with the factor folded in, one reciprocal "
                               "for several quotients, "
                               "x * x for powf(x, 2).",
                               "const float r = 1.0f / sum;  // then multiply by r")};
  s.weight = [](const LineProfile& l) { return l.xu; };
  return s;
}

std::optional<Suspicion> conversions(const Look& look) {
  const Counts& now = look.now;
  const double plain = now.conversions - now.conversions64;
  if (plain < kConversionShare * now.all) return std::nullopt;
  Suspicion s{.after = now};
  s.after.conversions -= kRemovable * plain;
  s.after.all -= kRemovable * plain;
  s.saw = counted(plain, "conversions between types", now);
  s.costs =
      "Conversions run at half the rate of FP32 arithmetic or less and add nothing to the result";
  s.prescriptions = {prescribe(
      action::kPackedConvert,
      "Convert in pairs and once: __half22float2, __float22half2_rn, arithmetic in half2 where "
      "the class allows; bytes become half by inserting them below 1024.",
      "half2 h = __byte_perm(bytes, 0x64646464, 0x4140) - 1024  // two u8 to half2")};
  s.weight = [](const LineProfile& l) { return l.conversions; };
  return s;
}

std::optional<Suspicion> overhead(const Look& look) {
  const auto& [e, rates, now] = look;
  const double part = now.integer + now.control;
  if (part < kOverheadShare * now.all) return std::nullopt;
  if (e.or_zero(metric::kIssueActive) < kOverheadIssue) return std::nullopt;
  Suspicion s{.after = now, .cap = 2};
  s.after.integer *= kRemovable;
  s.after.control *= kRemovable;
  s.after.all -= kRemovable * part;
  s.saw = counted(part, "integer and control instructions", now);
  s.remark =
      fmt::format(", with {:.0f} % of the issue slots in use", 100 * *e.get(metric::kIssueActive));
  s.costs = "Indices, bounds and loops take the issue slots that the arithmetic needs";
  s.prescriptions = {
      prescribe(action::kStrengthReduce,
                "Use 32-bit indices, hoist divisions and remainders out of loops, advance pointers "
                "instead of recomputing addresses.",
                "for (const float* p = row + lane; p < end; p += 32)"),
      prescribe(action::kUnroll,
                "Unroll the inner loop, and let each thread make several elements.",
                "#pragma unroll 4")};
  s.weight = [](const LineProfile& l) { return l.instructions; };
  return s;
}

std::optional<Suspicion> unfused(const Look& look) {
  const Counts& now = look.now;
  // A multiply can fuse only with an add; a kernel of adds alone has nothing to fuse.
  const double pairs = std::min(now.fadd, now.fmul);
  if (now.f32() <= 0 || pairs < kUnfused * now.f32()) return std::nullopt;
  Suspicion s{.after = now};
  s.after.fadd -= pairs;
  s.after.fmul -= pairs;
  s.after.ffma += pairs;
  s.after.all -= pairs;
  s.saw = fmt::format("{} multiplies and {} adds beside {} fused multiply-adds",
                      format_count(now.fmul), format_count(now.fadd), format_count(now.ffma));
  s.costs = "A fused multiply-add does both in one instruction";
  s.prescriptions = {
      prescribe(action::kFuseMultiplyAdd,
                "Write fmaf(a, b, c), regroup so that products feed sums, and avoid __fmul_rn and "
                "__fadd_rn, which forbid fusing.",
                "acc = fmaf(a, b, acc);")};
  s.weight = [](const LineProfile& l) { return l.instructions; };
  return s;
}

constexpr std::array kSuspicions{accidental_double, slow_functions, conversions, overhead, unfused};

double share_of(const Look& look, const ResourceTimes& times, const Counts& after) {
  const double before = look.rates.longest(look.now);
  return share_won(times, {.issue = after.all / look.now.all,
                           .pipe = before > 0 ? look.rates.longest(after) / before : 1});
}

class InstructionMix final : public Tool {
 public:
  About about() const override {
    return {"instruction_mix",
            "double-precision operations in a task without f64 tensors; many transcendentals (2 % "
            "of the "
            "instructions); conversions (10 %); integer and control overhead (50 % while issue "
            "slots are "
            "busy); unfused multiply and add (10 % of FP32)",
            "these take issue slots and slow pipes: 16 XU lanes against 128 of FP32 a clock and SM",
            "float literals; fast functions where the precision class allows; packed conversions; "
            "cheaper "
            "indices and unrolling; fmaf",
            "the kernel waits for memory or latency: fewer instructions win no time then, and the "
            "tool is "
            "silent; fast functions change values, and the class's gate decides",
            "CUDA C++ Programming Guide (arithmetic throughput, intrinsic functions); rules "
            "FPInstructions "
            "and SlowPipeLimiter of Nsight Compute"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness boundness) const override { return boundness != Boundness::kLaunch; }

  Verdict examine(const Evidence& e) const override {
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    const std::optional<PipeRates> rates = pipe_rates(e.device);
    if (!rates) return NotApplicable{"the device spec has no pipe rates"};
    const Counts now = counts_of(e, rates->xu);
    if (now.all <= 0) return Silent{};
    std::optional<Finding> worst;
    for (const auto suspect : kSuspicions) {
      const std::optional<Suspicion> suspicion = suspect({e, *rates, now});
      if (!suspicion) continue;
      const double share = share_of({e, *rates, now}, *times, suspicion->after);
      std::optional<Finding> finding = finding_of(e, *suspicion, share, *times);
      if (!finding) continue;
      // What is always worth mending comes before what would bring more: it is cheap and safe.
      if (suspicion->least) return *std::move(finding);
      if (!worst || finding->gain.high > worst->gain.high) worst = std::move(finding);
    }
    return worst ? Verdict{*std::move(worst)} : Verdict{Silent{}};
  }

 private:
  std::optional<Finding> finding_of(const Evidence& e, const Suspicion& suspicion, double share,
                                    const ResourceTimes& times) const {
    std::optional<Finding> finding = weigh(e, about().name, share, suspicion.cap, suspicion.least);
    if (!finding) return finding;
    if (suspicion.most) finding->severity = std::min(finding->severity, *suspicion.most);
    finding->spots = worst_lines(e.kernel, suspicion.weight);
    finding->saw = suspicion.saw + places(finding->spots) + suspicion.remark + ".";
    finding->costs = fmt::format("{}; the kernel waits for {}, and {:.0f} % of its time could go.",
                                 suspicion.costs, name_of(times.longest()), 100 * share);
    finding->prescriptions = suspicion.prescriptions;
    finding->grade = grade_with_times(e.kernel, kNeeds);
    return finding;
  }
};

}  // namespace

std::unique_ptr<Tool> make_instruction_mix() { return std::make_unique<InstructionMix>(); }

}  // namespace kp::diagnose
