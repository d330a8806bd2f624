// SPDX-License-Identifier: Apache-2.0
// Launches with all expressions evaluated, within the limits of CUDA.
#include <fmt/format.h>

#include <array>

#include "task/task.h"

namespace kp::task {
namespace {

constexpr std::array<std::int64_t, 3> kGridLimits{2147483647, 65535, 65535};
constexpr std::array<std::int64_t, 3> kBlockLimits{1024, 1024, 64};
constexpr std::array<std::int64_t, 3> kClusterLimits{16, 16, 16};
constexpr std::int64_t kThreadsPerBlock = 1024;
constexpr std::int64_t kBlocksPerCluster = 16;
constexpr std::int64_t kSharedBytes = 227 * 1024;  // the most that a supported GPU gives one block

using Extents = std::uint32_t[3];

Result<std::int64_t> evaluate_at(const Expr& expr, const Bindings& bindings,
                                 const SourceSpot& spot) {
  Result<std::int64_t> value = expr.evaluate(bindings);
  if (value) return value;
  Error error = std::move(value).error();
  error.spot = spot;
  return tl::unexpected<Error>(std::move(error));
}

struct DimRule {
  std::string_view what;
  std::array<std::int64_t, 3> limits;
};

Result<void> resolve_dim(const Dim3Expr& dim, const DimRule& rule, const Bindings& bindings,
                         const SourceSpot& spot, Extents& out) {
  const std::array<const Expr*, 3> parts{&dim.x, &dim.y, &dim.z};
  for (std::size_t i = 0; i < 3; ++i) {
    KP_TRY(const std::int64_t value, evaluate_at(*parts[i], bindings, spot));
    if (value < 1 || value > rule.limits[i]) {
      return fail_at(
          spot, fmt::format("{} {} = `{}` is {}", rule.what, "xyz"[i], parts[i] -> text(), value),
          fmt::format("CUDA allows 1 to {}", rule.limits[i]));
    }
    out[i] = static_cast<std::uint32_t>(value);
  }
  return {};
}

std::int64_t volume(const Extents& extents) {
  return std::int64_t{extents[0]} * extents[1] * extents[2];
}

Result<void> check_cluster(const ResolvedLaunch& resolved, const SourceSpot& spot) {
  if (volume(resolved.cluster) > kBlocksPerCluster) {
    return fail_at(spot, fmt::format("a cluster of {} blocks", volume(resolved.cluster)),
                   fmt::format("CUDA allows at most {}, portably 8", kBlocksPerCluster));
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (resolved.grid[i] % resolved.cluster[i] == 0) continue;
    return fail_at(spot,
                   fmt::format("grid {} = {} is no multiple of the cluster's {}", "xyz"[i],
                               resolved.grid[i], resolved.cluster[i]),
                   "round the grid up and let the surplus blocks return");
  }
  return {};
}

}  // namespace

Result<ResolvedLaunch> resolve_launch(const Launch& launch, const Bindings& bindings) {
  ResolvedLaunch resolved;
  resolved.launch = &launch;
  const SourceSpot& spot = launch.spot;
  KP_TRY_VOID(resolve_dim(launch.grid, {"grid", kGridLimits}, bindings, spot, resolved.grid));
  KP_TRY_VOID(resolve_dim(launch.block, {"block", kBlockLimits}, bindings, spot, resolved.block));
  if (volume(resolved.block) > kThreadsPerBlock) {
    return fail_at(spot, fmt::format("a block of {} threads", volume(resolved.block)),
                   fmt::format("CUDA allows at most {}", kThreadsPerBlock));
  }
  if (launch.cluster) {
    KP_TRY_VOID(resolve_dim(*launch.cluster, {"cluster", kClusterLimits}, bindings, spot,
                            resolved.cluster));
    KP_TRY_VOID(check_cluster(resolved, spot));
  }
  KP_TRY(const std::int64_t shared, evaluate_at(launch.shared_bytes, bindings, spot));
  if (shared < 0 || shared > kSharedBytes) {
    return fail_at(
        spot,
        fmt::format("dynamic shared memory `{}` is {} bytes", launch.shared_bytes.text(), shared),
        fmt::format("a block has at most {} bytes on any supported GPU", kSharedBytes));
  }
  resolved.shared_bytes = static_cast<std::uint64_t>(shared);
  return resolved;
}

}  // namespace kp::task
