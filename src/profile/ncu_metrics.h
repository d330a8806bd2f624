// SPDX-License-Identifier: Apache-2.0
// Which of Nsight Compute's metrics are kept, and under which names it writes them.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/profile.h"

namespace kp::profile::ncu {

/// What a column or a line of the details page stands for.
struct Meaning {
  std::string_view name;  // of the metric
  double factor = 1;      // on the value in base units
};

/// All metrics that ncu can know, of model/metric_keys.h.
std::span<const MetricKey> counters();

/// The metric of that name; absent when nothing here reads it.
std::optional<Meaning> meaning_of(std::string_view name);
/// The metric that the details page shows under `label`; `unit` tells two of one label apart.
std::optional<Meaning> meaning_of_label(std::string_view label, std::string_view unit);

/// Grade of a counter: measured, or static for what the compiler and the launch fix.
Grade grade_of(std::string_view name);

/// Adds what follows exactly from what was recorded: counts from rates, aliases, shared memory
/// without the system's part.
void add_derived(MetricSet& metrics);

}  // namespace kp::profile::ncu
