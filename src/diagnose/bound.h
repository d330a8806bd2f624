// SPDX-License-Identifier: Apache-2.0
// Bounds on what a fix can bring; shared by all tools. Formulas: Amdahl, roofline, latency hiding.
#pragma once
#include "diagnose/evidence.h"
#include "model/finding.h"

namespace kp::diagnose {

/// Speed-up when a share p in [0, 1) of the kernel's time goes away: 1 / (1 - p).
double amdahl(double share);
/// The gain to report for removing at most `share` of the kernel's time: capped by the headroom and by
/// `cap` (the tool's own ceiling), scaled to the run by the kernel's share of it; the low end assumes that
/// the fraction `eta` of the share is really won.
Gain gain_of(const Evidence& evidence, double share, double cap, double eta = 0.5);
/// Severity by share of time: critical from 0.30, warning from 0.10, info from 0.03, below: silent.
std::optional<Severity> severity_of(double share);

}  // namespace kp::diagnose
