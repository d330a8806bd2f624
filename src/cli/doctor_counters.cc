// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#include "base/child.h"
#include "base/text.h"
#include "build/toolchain.h"
#include "cli/doctor.h"

namespace kp::cli {
namespace {

constexpr unsigned kSysAdmin = 21;  // CAP_SYS_ADMIN of linux/capability.h
constexpr std::chrono::seconds kDeadline{20};

DoctorLine permission() {
  const auto parameters = read_file("/proc/driver/nvidia/params");
  if (!parameters) return {"GPU counters", false, "no driver"};
  const auto status = read_file("/proc/self/status");
  const CounterPermission granted = counter_permission(*parameters, status.value_or(""));
  if (granted.all_users) return {"GPU counters", true, "every user may read them"};
  if (granted.this_user) return {"GPU counters", true, "this user may read them"};
  return {"GPU counters", false,
          "the driver keeps them for administrators; diagnosis then knows times, launches and "
          "machine code\n"
          "hint: an administrator writes `options nvidia NVreg_RestrictProfilingToAdminUsers=0` to "
          "/etc/modprobe.d/nvidia-profiling.conf and loads the module again, or starts the "
          "container with --cap-add SYS_ADMIN"};
}

/// The last line of `tool --version` that tells a version.
std::string version_of(const Path& tool) {
  const auto exit = run_child({.command = {tool.string(), "--version"},
                               .inherit_environment = true,
                               .deadline = kDeadline});
  if (!exit || !exit->ok()) return "does not start";
  std::string version;
  for (const std::string_view line : split_lines(exit->output)) {
    if (line.find("ersion ") != line.npos) version = trim(line);
  }
  return version;
}

DoctorLine program(const std::string& name, const Path& tool, const std::string& absent) {
  return found_or(name, tool, tool.empty() ? "" : version_of(tool), absent);
}

/// The file itself has the version in its name: libcupti.so.13 -> libcupti.so.2025.3.1.
DoctorLine cupti(const Path& library) {
  std::error_code error;
  const Path file = library.empty() ? library : std::filesystem::canonical(library, error);
  return found_or("CUPTI", file, "counters and timelines inside the measured process",
                  "absent: no counters of candidates, and no `diagnose -- PROGRAM` without Nsight "
                  "Compute\nhint: install the toolkit's package cuda-cupti");
}

}  // namespace

CounterPermission counter_permission(const std::string& driver_parameters,
                                     const std::string& process_status) {
  CounterPermission permission;
  for (const std::string_view line : split_lines(driver_parameters)) {
    if (line.starts_with("RmProfilingAdminOnly:"))
      permission.all_users = trim(line.substr(line.find(':') + 1)) == "0";
  }
  for (const std::string_view line : split_lines(process_status)) {
    if (!line.starts_with("CapEff:")) continue;
    const std::string_view digits = trim(line.substr(line.find(':') + 1));
    std::uint64_t capabilities = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), capabilities, 16);
    permission.this_user = (capabilities >> kSysAdmin & 1) != 0;
  }
  permission.this_user = permission.this_user || permission.all_users;
  return permission;
}

void add_counters(DoctorLines& lines) {
  const build::InspectionTools tools = build::find_inspection_tools();
  lines.push_back(permission());
  lines.push_back(cupti(tools.cupti));
  lines.push_back(program("ncu", tools.ncu,
                          "absent: reports (.ncu-rep) cannot be read; its CSV files can\n"
                          "hint: install Nsight Compute (NVIDIA's package nsight-compute)"));
  lines.push_back(program("nsys", tools.nsys,
                          "absent: reports (.nsys-rep) cannot be exported; exports can be read\n"
                          "hint: install Nsight Systems (NVIDIA's package nsight-systems)"));
}

}  // namespace kp::cli
