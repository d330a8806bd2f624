// SPDX-License-Identifier: Apache-2.0
#include "diagnose/matrix_use.h"

#include "diagnose/mix.h"

namespace kp::diagnose {
namespace {

constexpr double kExecuted = 0.5;        // % of the tensor pipe; below: never or hardly ever
constexpr double kMovesConstants = 0.1;  // % of the tensor pipe, below: it moves constants
constexpr double kSplitProducts = 3;     // tf32 products for one of f32

/// Packed half arithmetic runs on the tensor pipe as well, and is no matrix product.
std::optional<double> matrix_instructions(const Evidence& e) {
  const std::optional<double> all = e.get(metric::kTensorInst);
  if (!all) return std::nullopt;
  const double packed = warp_instructions(e, {metric::kHadd, metric::kHmul, metric::kHfma});
  // A few of them also serve for moving constants.
  const double rest = *all - packed;
  return rest > 0.5 * *all ? rest : 0;
}

}  // namespace

std::optional<bool> MatrixUse::in_code() const {
  if (!warp && !warpgroup) return std::nullopt;
  return warp.value_or(0) + warpgroup.value_or(0) > 0;
}

std::optional<bool> MatrixUse::ran() const {
  if (executed) return *executed > 0;
  if (percent) return *percent >= kExecuted;
  return std::nullopt;
}

std::optional<bool> MatrixUse::present() const {
  const std::optional<bool> code = in_code();
  return code ? code : ran();
}

MatrixUse matrix_use(const Evidence& e) {
  MatrixUse m{e.get(metric::kSassMmaWarp), e.get(metric::kSassMmaWarpgroup), matrix_instructions(e),
              e.get(metric::kTensorPct)};
  if (const auto group = e.get(metric::kTensorWarpgroupInst); group && !m.warpgroup) {
    m.warpgroup = group;
    if (m.executed && !m.warp) m.warp = *m.executed - *group;
  }
  return m;
}

bool on_tensor_cores(const Evidence& e) { return e.or_zero(metric::kTensorPct) >= kMovesConstants; }

bool has_warpgroup(const DeviceSpec& device) { return device.architecture.starts_with("sm_90"); }

std::optional<double> fma_share(const Evidence& e) {
  const std::optional<double> inner = e.get(metric::kSassInnerInst);
  const std::optional<double> fma = e.get(metric::kSassInnerFma);
  if (inner && fma && *inner > 0) return *fma / *inner;
  const std::optional<double> all = e.get(metric::kInstructions), ffma = e.get(metric::kFfma);
  if (!all || !ffma || *all <= 0) return std::nullopt;
  return warp_instructions(e, {metric::kFfma, metric::kHfma, metric::kDfma}) / *all;
}

std::optional<Datapath> datapath_of(const Evidence& e) {
  const bool split = e.floor.precision == Precision::kF32;
  const auto found = e.device.flops.find(split ? Precision::kTf32 : e.floor.precision);
  if (found == e.device.flops.end()) return std::nullopt;
  if (split) return Datapath{found->second / kSplitProducts, "three tf32 products for each of f32"};
  return Datapath{found->second, "the tensor cores"};
}

}  // namespace kp::diagnose
