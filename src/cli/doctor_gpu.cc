// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "cli/doctor.h"
#include "device/cuda/nvml.h"
#include "device/device.h"

namespace kp::cli {
namespace {

DoctorLine driver() {
  const std::string version = driver_version();
  if (!version.empty()) return {"driver", true, fmt::format("NVIDIA {}", version)};
  return {
      "driver", false,
      "absent: kernels run on the virtual GPU alone, with modelled times\n"
      "hint: install NVIDIA's driver 550 or later; in a container, ask its runtime for the GPU"};
}

DoctorLine management() {
  device::cuda::Nvml nvml;
  nvml.select("", 0);
  const device::GpuState state = nvml.state();
  if (!state.watts && !state.sm_hz && !state.celsius) {
    return {"NVML", false,
            "absent: clocks, reasons for low clocks and energy stay unknown\n"
            "hint: libnvidia-ml.so.1 comes with the driver"};
  }
  std::string detail = "clocks, their reasons, energy";
  if (state.watts) detail += fmt::format("; now {:.0f} W", *state.watts);
  if (state.sm_hz) detail += fmt::format(", SM clock {:.0f} MHz", *state.sm_hz * 1e-6);
  if (state.other_processes.value_or(0) > 0)
    detail += fmt::format("; {} other processes compute on this GPU", *state.other_processes);
  return {"NVML", true, detail};
}

}  // namespace

std::string driver_version() {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue ..."
  const std::string text = read_file("/proc/driver/nvidia/version").value_or("");
  const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
  for (const std::string_view word : split(line, ' ')) {
    if (word.find('.') != word.npos && word[0] >= '0' && word[0] <= '9') return std::string(word);
  }
  return "";
}

void add_gpus(DoctorLines& lines) {
  lines.push_back(driver());
  for (const auto& device : device::list_devices())
    lines.push_back({"device " + device.name, device.usable, device.detail});
  lines.push_back(management());
}

}  // namespace kp::cli
