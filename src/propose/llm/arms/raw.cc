// SPDX-License-Identifier: Apache-2.0
// Hardware counters as Nsight Compute names them, without a word on what they mean.
#include <fmt/format.h>

#include <algorithm>

#include "profile/metric_sets.h"
#include "propose/llm/feedback.h"

namespace kp::propose {
namespace {

constexpr int kMostCounters = 50;  // of all kernels together, those with most of the time first

class Raw final : public Feedback {
 public:
  Arm arm() const override { return Arm::kRaw; }
  Result<std::string> text(const Request& request) const override {
    const Measured* measured = request.evaluation ? request.evaluation->measured() : nullptr;
    if (!measured) return std::string();
    std::vector<const KernelProfile*> kernels;
    for (const KernelProfile& kernel : measured->profile.kernels) kernels.push_back(&kernel);
    std::stable_sort(kernels.begin(), kernels.end(),
                     [](const auto* a, const auto* b) { return a->share > b->share; });
    std::string out = "# Counters\n";
    int left = kMostCounters;
    for (const KernelProfile* kernel : kernels) {
      if (left > 0) out += fmt::format("\n{}:\n{}", kernel->kernel, counters(*kernel, left));
    }
    if (left < kMostCounters) return out;
    return fail(ErrorCode::kUnavailable, "the profile of the parent holds no hardware counter",
                "`kernelpro doctor` says how to permit counters; or use --arm none");
  }

 private:
  static std::string counters(const KernelProfile& kernel, int& left) {
    std::string out;
    for (const MetricKey& key : profile::full_metrics()) {
      const auto value = kernel.metrics.get(key);
      if (!value || left == 0) continue;
      out += fmt::format("{} = {:.6g} {}\n", key.name, *value, key.unit);
      if (key.unit.empty()) out.replace(out.size() - 2, 2, "\n");
      --left;
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<Feedback> make_raw_arm() { return std::make_unique<Raw>(); }

}  // namespace kp::propose
