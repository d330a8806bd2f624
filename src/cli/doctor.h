// SPDX-License-Identifier: Apache-2.0
// What `kernelpro doctor` looks at, one file for each group. A line says what a thing gives or,
// where it is absent, what is lost and how to get it. Nothing here changes anything.
#pragma once
#include <string>
#include <vector>

#include "base/file.h"

namespace kp::cli {

struct DoctorLine {
  std::string what;
  bool usable = false;
  std::string detail;  // may have several lines
};
using DoctorLines = std::vector<DoctorLine>;

/// A line about a file or program: where it is with what it gives, or what its absence means.
DoctorLine found_or(const std::string& what, const Path& found, const std::string& gives,
                    const std::string& when_absent);

/// "580.159.04", of NVIDIA's kernel module; empty: there is none.
std::string driver_version();

void add_compilers(DoctorLines& lines);           // NVRTC, nvcc, host compiler
void add_gpus(DoctorLines& lines);                // driver, devices, NVML
void add_counters(DoctorLines& lines);            // permission, CUPTI, Nsight tools
void add_machine_code_tools(DoctorLines& lines);  // disassembler, sanitizer
void add_sandbox(DoctorLines& lines);             // what can confine candidates
void add_host(DoctorLines& lines);                // Python, cores, installation

/// Whether the driver lets this user read counters: nothing when there is no driver. The text of
/// /proc/driver/nvidia/params and of /proc/self/status.
struct CounterPermission {
  bool all_users = false, this_user = false;
};
CounterPermission counter_permission(const std::string& driver_parameters,
                                     const std::string& process_status);

}  // namespace kp::cli
