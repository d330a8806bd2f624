// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "device/cuda.h"
#include "device/device.h"
#include "device/vgpu.h"

namespace kp::device {
namespace {

constexpr std::string_view kDefaultSpec = "h200";

std::string known_devices() {
  std::vector<std::string> names;
  for (const Availability& device : list_devices()) {
    if (device.usable) names.push_back(device.name);
  }
  return names.empty() ? "none" : join(names, ", ");
}

Result<std::unique_ptr<Device>> open_gpu(const std::string& name, const std::string& which,
                                         const StopFlag* stop) {
  Result<std::unique_ptr<Device>> opened = open_cuda(which, stop);
  if (opened) return opened;
  Error error = std::move(opened.error()).within(fmt::format("open {}", name));
  if (error.hint.empty()) error.hint = fmt::format("usable here: {}", known_devices());
  return tl::unexpected<Error>(std::move(error));
}

/// The first GPU that works, else the virtual one.
Result<std::unique_ptr<Device>> open_first(const StopFlag* stop) {
  if (has_cuda_driver()) {
    Result<std::unique_ptr<Device>> opened = open_cuda("", stop);
    if (opened) return opened;
  }
  return open_vgpu(std::string(kDefaultSpec), stop);
}

Availability virtual_gpu() {
  const std::string name = fmt::format("vgpu:{}", kDefaultSpec);
  const Result<DeviceSpec> spec = read_device_spec(std::string(kDefaultSpec));
  if (!spec) return {name, false, spec.error().text()};
  return {name, true, fmt::format("virtual {}, modelled times", spec->product)};
}

}  // namespace

Result<std::unique_ptr<Device>> open_device(const std::string& name, const StopFlag* stop) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  const std::string which = colon == std::string::npos ? "" : name.substr(colon + 1);
  if (name.empty()) return open_first(stop);
  if (kind == "cuda") return open_gpu(name, which, stop);
  if (kind == "vgpu") {
    return open_vgpu(which.empty() ? std::string(kDefaultSpec) : which, stop);
  }
  return fail(ErrorCode::kNotFound, fmt::format("there is no device `{}`", name),
              fmt::format("a device is vgpu[:SPEC] or cuda[:N]; usable here: {}", known_devices()));
}

std::vector<Availability> list_devices() {
  std::vector<Availability> devices{virtual_gpu()};
  const Result<std::vector<std::string>> found = cuda_devices();
  if (!found) {
    devices.push_back({"cuda", false, found.error().text()});
  } else if (found->empty()) {
    devices.push_back({"cuda", false, "the CUDA driver works and sees no GPU"});
  } else {
    for (std::size_t i = 0; i < found->size(); ++i) {
      devices.push_back(
          {fmt::format("cuda:{}", i), true, fmt::format("{}, measured times", (*found)[i])});
    }
  }
  return devices;
}

}  // namespace kp::device
