// SPDX-License-Identifier: Apache-2.0
// Which counters are to be read on a chip, and in how many passes: CUPTI's host half, which needs
// neither GPU nor driver.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace kp::device::cuda {

/// A chip as CUPTI names it, and which of its counters this machine offers (empty: all of the
/// chip).
struct CounterChip {
  std::string name;  // "GH100"
  std::vector<std::uint8_t> availability;
};

class CounterPlan {
 public:
  /// Names that the chip does not have are left out of names(). kUnavailable without CUPTI or where
  /// it does not know the chip.
  static Result<std::unique_ptr<CounterPlan>> make(const CounterChip& chip,
                                                   std::span<const std::string> names);
  ~CounterPlan();
  CounterPlan(const CounterPlan&) = delete;
  CounterPlan& operator=(const CounterPlan&) = delete;

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::uint8_t>& image() const { return image_; }
  int passes() const { return passes_; }
  /// Values of names(), in order, from decoded counter data. What cannot be computed is NaN.
  Result<std::vector<double>> evaluate(std::span<const std::uint8_t> data, std::size_t range) const;

 private:
  CounterPlan() = default;
  Result<void> open(const CounterChip& chip);
  void choose(std::span<const std::string> names);
  Result<void> arrange();

  void* host_ = nullptr;  // CUpti_Profiler_Host_Object*
  std::vector<std::string> names_;
  std::vector<std::uint8_t> image_;
  int passes_ = 0;
};

}  // namespace kp::device::cuda
