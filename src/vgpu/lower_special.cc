// SPDX-License-Identifier: Apache-2.0
#include "vgpu/lower_special.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace kp::vgpu {
namespace {

using S = SpecialRegister;
struct Row {
  std::string_view name;
  Special special;
};

constexpr std::array kRows{
    Row{"%tid.x", {S::kTidX}},
    Row{"%tid.y", {S::kTidY}},
    Row{"%tid.z", {S::kTidZ}},
    Row{"%ntid.x", {S::kNtidX}},
    Row{"%ntid.y", {S::kNtidY}},
    Row{"%ntid.z", {S::kNtidZ}},
    Row{"%ctaid.x", {S::kCtaidX}},
    Row{"%ctaid.y", {S::kCtaidY}},
    Row{"%ctaid.z", {S::kCtaidZ}},
    Row{"%nctaid.x", {S::kNctaidX}},
    Row{"%nctaid.y", {S::kNctaidY}},
    Row{"%nctaid.z", {S::kNctaidZ}},
    Row{"%laneid", {S::kLaneId}},
    Row{"%warpid", {S::kWarpId}},
    Row{"%nwarpid", {S::kNwarpId}},
    Row{"%smid", {S::kSmId}},
    Row{"%nsmid", {S::kNsmId}},
    Row{"%gridid", {S::kGridId, 8}},
    Row{"%lanemask_eq", {S::kLaneMaskEq}},
    Row{"%lanemask_lt", {S::kLaneMaskLt}},
    Row{"%lanemask_le", {S::kLaneMaskLe}},
    Row{"%lanemask_gt", {S::kLaneMaskGt}},
    Row{"%lanemask_ge", {S::kLaneMaskGe}},
    Row{"%clock", {S::kClock}},
    Row{"%clock_hi", {S::kOther, 4, 0, 0}},
    Row{"%clock64", {S::kClock64, 8}},
    Row{"%globaltimer", {S::kGlobalTimer, 8}},
    Row{"%globaltimer_lo", {S::kGlobalTimer}},
    Row{"%globaltimer_hi", {S::kOther, 4, 0, 0}},
    Row{"%dynamic_smem_size", {S::kDynamicSharedSize}},
    Row{"%total_smem_size", {S::kTotalSharedSize}},
    // Without clusters every block is a cluster of its own.
    Row{"%is_explicit_cluster", {S::kOther, 1, 0, 0}},
    Row{"%clusterid.x", {S::kCtaidX}},
    Row{"%clusterid.y", {S::kCtaidY}},
    Row{"%clusterid.z", {S::kCtaidZ}},
    Row{"%nclusterid.x", {S::kNctaidX}},
    Row{"%nclusterid.y", {S::kNctaidY}},
    Row{"%nclusterid.z", {S::kNctaidZ}},
    Row{"%cluster_ctaid.x", {S::kOther, 4, 0, 0}},
    Row{"%cluster_ctaid.y", {S::kOther, 4, 0, 0}},
    Row{"%cluster_ctaid.z", {S::kOther, 4, 0, 0}},
    Row{"%cluster_nctaid.x", {S::kOther, 4, 0, 1}},
    Row{"%cluster_nctaid.y", {S::kOther, 4, 0, 1}},
    Row{"%cluster_nctaid.z", {S::kOther, 4, 0, 1}},
    Row{"%cluster_ctarank", {S::kOther, 4, 0, 0}},
    Row{"%cluster_nctarank", {S::kOther, 4, 0, 1}},
};

constexpr std::string_view kEnvReg = "%envreg";
constexpr int kEnvRegs = 32;

}  // namespace

std::uint8_t clock_bytes(std::string_view name) {
  const auto special = special_register(name);
  const bool moves = special && (special->which == S::kClock || special->which == S::kClock64 ||
                                 special->which == S::kGlobalTimer);
  return moves ? special->lane_bytes : 0;
}

std::optional<Special> special_register(std::string_view name) {
  const auto row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) { return one.name == name; });
  if (row != kRows.end()) return row->special;
  if (name.starts_with(kEnvReg)) {
    const auto number = parse_integer(name.substr(kEnvReg.size()));
    if (number && *number >= 0 && *number < kEnvRegs)
      return Special{S::kEnvReg, 4, static_cast<std::uint8_t>(*number), std::nullopt};
  }
  return std::nullopt;
}

}  // namespace kp::vgpu
