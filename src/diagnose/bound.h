// SPDX-License-Identifier: Apache-2.0
// Bounds on what a fix can bring; shared by all tools. Formulas: Amdahl, roofline, latency hiding.
#pragma once
#include <optional>
#include <string_view>

#include "diagnose/evidence.h"
#include "model/finding.h"

namespace kp::diagnose {

/// Speed-up when a share p in [0, 1) of the kernel's time goes away: 1 / (1 - p).
double amdahl(double share);
/// The gain to report for removing at most `share` of the kernel's time: capped by the headroom and
/// by `cap` (the tool's own ceiling), scaled to the run by the kernel's share of it; the low end
/// assumes that the fraction `eta` of the share is really won.
Gain gain_of(const Evidence& evidence, double share, double cap, double eta = 0.5);
/// Severity by share of time: critical from 0.30, warning from 0.10, info from 0.03, below: silent.
std::optional<Severity> severity_of(double share);
/// `gain` with its low end set again for another fraction `eta` of what it promises at most.
Gain with_eta(Gain gain, double eta);
/// A finding of `tool` about the kernel with severity and gain filled in, for a fix that takes away
/// `share` of the kernel's time; absent when that is too little of the run to be worth a word and
/// `least` does not ask for one.
std::optional<Finding> weigh(const Evidence& evidence, std::string_view tool, double share,
                             double cap, std::optional<Severity> least = {});

}  // namespace kp::diagnose
