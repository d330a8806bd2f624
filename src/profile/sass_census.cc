// SPDX-License-Identifier: Apache-2.0
#include "profile/sass_census.h"

#include <array>
#include <numeric>

#include "profile/sass_flow.h"
#include "profile/sass_opcodes.h"

namespace kp::profile {
namespace {

constexpr std::size_t kClasses = static_cast<std::size_t>(SassClass::kOther) + 1;

struct Census {
  std::array<double, kClasses> counts{};
  double fused = 0, load_bytes = 0, loads = 0, store_bytes = 0;

  double operator[](SassClass what) const { return counts[static_cast<std::size_t>(what)]; }
  double all() const { return std::accumulate(counts.begin(), counts.end(), 0.0); }
  void add(const SassInstruction& instruction) {
    const SassClass what = class_of(instruction);
    ++counts[static_cast<std::size_t>(what)];
    if (is_fused(instruction)) ++fused;
    if (what == SassClass::kGlobalStore) store_bytes += bytes_per_lane(instruction);
    if (what != SassClass::kGlobalLoad && what != SassClass::kAsyncCopy) return;
    ++loads;
    load_bytes += bytes_per_lane(instruction);
  }
};

void set(MetricSet& metrics, const MetricKey& key, double value) {
  // The first source to know a metric wins.
  if (!metrics.find(key.name)) metrics.set(key, value, Grade::kStatic);
}

void add_whole(const Census& whole, MetricSet& metrics) {
  set(metrics, metric::kSassInst, whole.all());
  set(metrics, metric::kSassLocal, whole[SassClass::kLocal]);
  set(metrics, metric::kSassMmaWarp, whole[SassClass::kMmaWarp]);
  set(metrics, metric::kSassMmaWarpgroup, whole[SassClass::kMmaWarpgroup]);
  set(metrics, metric::kSassAsyncCopy, whole[SassClass::kAsyncCopy]);
  set(metrics, metric::kSassTma, whole[SassClass::kTma]);
  set(metrics, metric::kSassCalls, whole[SassClass::kCall]);
}

void add_inner(const Census& inner, MetricSet& metrics) {
  set(metrics, metric::kSassInnerInst, inner.all());
  set(metrics, metric::kSassInnerFma, inner.fused);
  set(metrics, metric::kSassInnerInteger, inner[SassClass::kInteger]);
  set(metrics, metric::kSassInnerXu, inner[SassClass::kXu]);
  set(metrics, metric::kSassInnerFp64, inner[SassClass::kDouble]);
  set(metrics, metric::kSassInnerConversion, inner[SassClass::kConversion]);
  set(metrics, metric::kSassInnerLocal, inner[SassClass::kLocal]);
  set(metrics, metric::kSassInnerBarrier, inner[SassClass::kBarrier]);
  if (inner.loads > 0) set(metrics, metric::kSassLoadWidth, inner.load_bytes / inner.loads);
  const double stores = inner[SassClass::kGlobalStore];
  if (stores > 0) set(metrics, metric::kSassStoreWidth, inner.store_bytes / stores);
}

}  // namespace

void add_census(const SassFunction& function, MetricSet& metrics) {
  const SassFlow flow = flow_of(function);
  const std::vector<bool>& often = flow.loops > 0 ? flow.innermost : flow.reached;
  Census whole, inner;
  for (std::size_t i = 0; i < function.code.size(); ++i) {
    whole.add(function.code[i]);
    if (often[i]) inner.add(function.code[i]);
  }
  add_whole(whole, metrics);
  add_inner(inner, metrics);
}

}  // namespace kp::profile
