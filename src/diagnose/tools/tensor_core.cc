// SPDX-License-Identifier: Apache-2.0
// Sees:           a contraction on scalar lanes, on an older generation of matrix instructions than
//                 the device has, with matrix instructions that never run, or that wait for their
//                 operands.
// Costs because:  tensor cores multiply 8 to 16 times as fast as scalar lanes.
// Try:            matrix instructions of the task's precision class; split emulation for f32; wgmma
//                 with bulk copies; more stages and larger tiles.
// Misleads when:  the work is no contraction, or too few operations a byte: none are needed
//                 (silent).
// Source:         PTX ISA, mma and wgmma; arXiv 2203.03341 (3xTF32); profiler reference, cases of
//                 0 % tensor.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diagnose/actions.h"
#include "diagnose/bound.h"
#include "diagnose/matrix_use.h"
#include "diagnose/resources.h"
#include "diagnose/spots.h"
#include "diagnose/tool.h"

namespace kp::diagnose {
namespace {

constexpr double kReached = 0.7;       // of a datapath's peak that good kernels reach
constexpr double kWarpLevel = 0.62;    // of the peak that mma.sync reaches where wgmma exists;
                                       // unverified
constexpr double kStarved = 30;        // % of the tensor pipe; below: operands are late
constexpr double kOwnProducts = 0.25;  // of the task's products: the kernel is the contraction; own
constexpr double kFmaShare = 0.30;     // of the inner instructions
constexpr double kBusyPipe = 40;       // % of the FP32 pipe, to speak without a task; own
constexpr double kLarge = 1e10;        // FLOP; below: no time to fill the pipeline of wgmma; own
constexpr double kCap = 8;             // speed-up, without evidence of a library
constexpr double kGenerationCap = 1.6;
constexpr double kUnknownCap = 2;  // speed-up where no task says what is computed; own

constexpr std::array kNeeds{metric::kDuration};
constexpr std::array kUsed{metric::kDuration, metric::kTensorPct, metric::kTensorInst,
                           metric::kFfma};

/// Whether this kernel of the run does the products on scalar lanes; absent when unknown.
std::optional<bool> multiplies(const Evidence& e) {
  if (const std::optional<double> ffma = e.get(metric::kFfma)) {
    double products = *ffma;
    for (const MetricKey& key : {metric::kHfma, metric::kDfma, metric::kFmul, metric::kDmul}) {
      products += e.or_zero(key);
    }
    return products >= kOwnProducts * *e.floor.flops / 2;
  }
  if (const std::optional<double> share = fma_share(e)) return *share >= kFmaShare;
  if (e.run && e.run->kernels.size() > 1) return std::nullopt;
  return true;
}

/// Share of the kernel's time above the roofline of a datapath that reaches `peak` FLOP/s.
double share_above(const Evidence& e, double peak) {
  const double bound = std::max(e.floor.bytes / e.device.dram_sustained, *e.floor.flops / peak);
  return std::clamp(1 - bound * 1e9 / *e.get(metric::kDuration), 0.0, 1.0);
}

Prescription use_tensor_cores(Precision precision) {
  const std::string_view rounding =
      precision == Precision::kTf32   ? " tf32 operands round to 2^-11, as the class allows."
      : precision == Precision::kF64  ? " The f64 form rounds as scalar arithmetic does."
      : precision == Precision::kBf16 ? " bf16 operands round to 2^-9, sums stay in f32."
                                      : " Sums stay in f32.";
  return {std::string(action::kTensorCores),
          fmt::format("Multiply tiles with matrix instructions (mma.sync or wmma; wgmma for large "
                      "ones), operands from shared memory.{}",
                      rounding),
          "wmma::mma_sync(sum, a, b, sum);  // 16 x 16 x 16"};
}

Prescription split_emulation() {
  return {std::string(action::kSplitEmulation),
          "Split each f32 operand into a large and a small part and add up three products on the "
          "tensor cores (3xTF32, or three bf16 parts): that stays inside the f32 gate. Plain tf32 "
          "does not: it rounds operands to 2^-11.",
          "big = to_tf32(x);  small = to_tf32(x - big);\n"
          "sum += a_small * b_big;  sum += a_big * b_small;  sum += a_big * b_big;"};
}

Prescription find_guard() {
  return {std::string(action::kTensorCores),
          "Find what turns them off: a branch for odd shapes or alignment, a guard on "
          "__CUDA_ARCH__, or a binary for another architecture (wgmma needs sm_90a).",
          "-gencode arch=compute_90a,code=sm_90a"};
}

Prescription warpgroup() {
  return {std::string(action::kWarpgroupMma),
          "Use wgmma: operands straight from shared memory, brought there by bulk copies of a "
          "producer warp, two consumer warp groups.",
          "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16"};
}

std::vector<Prescription> feed(const Evidence& e) {
  return {
      {std::string(action::kFeedTensorCores),
       "Bring the next tiles while this one is multiplied: three or four stages of "
       "asynchronous copies, ldmatrix from swizzled shared memory.",
       "cp.async.cg.shared.global [tile + stage], [source], 16;"},
      {std::string(action::kRegisterTile),
       fmt::format("Give each warp a larger tile (64 x 64) and the block 128 x 128: operands "
                   "are loaded half as often for each doubling; now the tensor pipe works {:.0f} "
                   "% of the time.",
                   e.or_zero(metric::kTensorPct)),
       {}}};
}

class TensorCore final : public Tool {
 public:
  About about() const override {
    return {"tensor_core",
            "a contraction whose operations per byte exceed what scalar lanes balance, and that "
            "runs on these; uses matrix instructions of a warp where the device has those of a "
            "warp group; has matrix instructions that never run, or that use less than 30 % of "
            "the tensor pipe; without a task: inner loops of 30 % multiply-adds on a busy pipe",
            "tensor cores multiply 8 to 16 times as fast as scalar lanes",
            "matrix instructions of the task's class; for f32, three products of split operands, "
            "never plain tf32; wgmma; more stages and larger tiles",
            "the work is no contraction or has few operations a byte: the tool is silent",
            "PTX ISA (mma, wgmma); split emulation: arXiv 2203.03341; roofline model"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness boundness) const override { return boundness != Boundness::kLaunch; }

  Verdict examine(const Evidence& e) const override {
    const MatrixUse matrix = matrix_use(e);
    if (!e.floor.flops && e.floor.bytes <= 0) return without_task(e, matrix);
    const double scalar = e.floor.precision == Precision::kF64 ? e.device.scalar_flops_f64
                                                               : e.device.scalar_flops_f32;
    const std::optional<double> intensity = e.floor.intensity();
    if (!e.floor.contraction || !intensity || *intensity < scalar / e.device.dram_sustained) {
      return Silent{};  // none needed
    }
    const std::optional<bool> present = matrix.present();
    if (!present) return unknown(metric::kTensorPct);
    if (!*present) return on_scalar_lanes(e);
    if (!matrix.ran().value_or(true)) return never_run(e);
    return present_and_running(e, matrix);
  }

 private:
  Verdict on_scalar_lanes(const Evidence& e) const {
    const std::optional<bool> own = multiplies(e);
    if (!own) return unknown(metric::kFfma);
    const std::optional<Datapath> path = datapath_of(e);
    if (!*own || !path) return Silent{};
    std::optional<Finding> finding =
        weigh(e, about().name, share_above(e, kReached * path->peak), kCap);
    if (!finding) return Silent{};
    const bool split = e.floor.precision == Precision::kF32;
    // f32 has its own peak to reach first, and an emulation is the larger change.
    if (split) finding->severity = std::min(finding->severity, Severity::kWarning);
    finding->spots = worst_lines(e.kernel, [](const LineProfile& l) { return l.instructions; });
    finding->saw = fmt::format(
        "A contraction of {:.3g} FLOP, {:.3g} for each byte, runs on scalar lanes{}: there is no "
        "matrix instruction.",
        *e.floor.flops, *e.floor.intensity(), places(finding->spots));
    finding->costs = fmt::format("Scalar lanes do {:.3g} TFLOP/s at most; {} allow {:.3g}.",
                                 e.device.scalar_flops_f32 * 1e-12, path->name, path->peak * 1e-12);
    finding->prescriptions = {split ? split_emulation() : use_tensor_cores(e.floor.precision)};
    finding->grade = weakest_grade(e.kernel, kUsed);
    return *std::move(finding);
  }

  Verdict never_run(const Evidence& e) const {
    const std::optional<Datapath> path = datapath_of(e);
    const double peak = path ? path->peak : e.device.scalar_flops_f32;
    std::optional<Finding> finding = weigh(e, about().name, share_above(e, kReached * peak), kCap);
    if (!finding) return Silent{};
    finding->saw = "The code has matrix instructions, and none of them is executed.";
    finding->costs = "The launch takes a fallback on scalar lanes.";
    finding->prescriptions = {find_guard()};
    finding->grade = weakest_grade(e.kernel, kUsed);
    return *std::move(finding);
  }

  Verdict present_and_running(const Evidence& e, const MatrixUse& matrix) const {
    const std::optional<Datapath> path = datapath_of(e);
    if (!path || !matrix.percent) return Silent{};
    if (*matrix.percent < kStarved) return starved(e, matrix, *path);
    const bool older = has_warpgroup(e.device) && matrix.warp.value_or(0) > 0 && matrix.warpgroup &&
                       *matrix.warpgroup <= 0 && *e.floor.flops >= kLarge;
    return older ? older_generation(e, share_above(e, kReached * path->peak)) : Verdict{Silent{}};
  }

  Verdict starved(const Evidence& e, const MatrixUse& matrix, const Datapath& path) const {
    // Between the ridges of scalar lanes and tensor cores, memory is the limit and not the feed.
    if (*e.floor.intensity() < path.peak / e.device.dram_sustained) return Silent{};
    const bool warps = matrix.warpgroup.value_or(0) <= 0 && has_warpgroup(e.device);
    const double reachable = (warps ? kWarpLevel : kReached) * path.peak;
    std::optional<Finding> finding = weigh(e, about().name, share_above(e, reachable), kCap);
    if (!finding) return Silent{};
    // Which resource starves them, other tools say with more right.
    finding->severity = std::min(finding->severity, Severity::kWarning);
    finding->saw =
        fmt::format("Matrix instructions use {:.0f} % of the tensor pipe.", *matrix.percent);
    finding->costs = "The tensor cores wait for their operands most of the time.";
    finding->prescriptions = feed(e);
    if (warps && *e.floor.flops >= kLarge) finding->prescriptions.push_back(warpgroup());
    finding->grade = weakest_grade(e.kernel, kUsed);
    return *std::move(finding);
  }

  Verdict older_generation(const Evidence& e, double share) const {
    std::optional<Finding> finding = weigh(e, about().name, share, kGenerationCap);
    if (!finding) return Silent{};
    finding->saw = fmt::format(
        "Matrix instructions of single warps (mma.sync), {:.0f} % of the tensor pipe, on a device "
        "that has those of a warp group.",
        e.or_zero(metric::kTensorPct));
    finding->costs = "These reach about 60 % of what wgmma does.";
    finding->prescriptions = {warpgroup()};
    finding->grade = weakest_grade(e.kernel, kUsed);
    return *std::move(finding);
  }

  /// Nobody says what the kernel computes, nor how exactly.
  Verdict without_task(const Evidence& e, const MatrixUse& matrix) const {
    const std::optional<bool> present = matrix.present();
    if (!present) return unknown(metric::kTensorPct);
    if (*present) return matrix.ran().value_or(true) ? generation(e, matrix) : idle_code(e);
    const std::optional<double> share = fma_share(e), pipe = e.get(metric::kFp32Pct);
    if (!share || !pipe) return unknown(share ? metric::kFp32Pct : metric::kFfma);
    if (*share < kFmaShare || *pipe < kBusyPipe) return Silent{};
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    std::optional<Finding> finding =
        weigh(e, about().name, share_won(*times, {.issue = 0.5, .pipe = 0.5}), kUnknownCap);
    if (!finding) return Silent{};
    finding->severity = Severity::kInfo;
    finding->saw = fmt::format(
        "{:.0f} % of the inner instructions are multiply-adds, the FP32 pipe is busy for {:.0f} %, "
        "and there is no matrix instruction.",
        100 * *share, *pipe);
    finding->costs = "If this is a product of matrices, tensor cores do it several times as fast.";
    finding->prescriptions = {
        {std::string(action::kTensorCores),
         "Where the result may be as exact as bf16 or tf32 operands allow, use them; where it must "
         "be as exact as f32, split each operand (3xTF32).",
         {}}};
    finding->grade = weakest_grade(e.kernel, kUsed);
    return *std::move(finding);
  }

  Verdict generation(const Evidence& e, const MatrixUse& matrix) const {
    const bool older = has_warpgroup(e.device) && matrix.warpgroup && *matrix.warpgroup <= 0;
    if (!older || matrix.percent.value_or(0) < kStarved) return Silent{};
    Verdict verdict = older_generation(e, 1 - 1 / kGenerationCap);
    if (auto* finding = std::get_if<Finding>(&verdict)) finding->severity = Severity::kInfo;
    return verdict;
  }

  Verdict idle_code(const Evidence& e) const {
    std::optional<Finding> finding = weigh(e, about().name, 0, kCap, Severity::kInfo);
    if (!finding) return Silent{};
    finding->saw = "The code has matrix instructions, and none of them is executed.";
    finding->costs = "The launch takes another path, perhaps a fallback.";
    finding->prescriptions = {find_guard()};
    finding->grade = weakest_grade(e.kernel, kUsed);
    return *std::move(finding);
  }
};

}  // namespace

std::unique_ptr<Tool> make_tensor_core() { return std::make_unique<TensorCore>(); }

}  // namespace kp::diagnose
