// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text.h"
#include "device/cuda.h"
#include "device/device.h"
#include "device/vgpu.h"

namespace kp::device {
namespace {

constexpr std::string_view kDefaultSpec = "h200";
constexpr std::string_view kNoCudaYet = "this version does not run kernels on CUDA devices";

std::string known_devices() {
  std::vector<std::string> names;
  for (const Availability& device : list_devices()) {
    if (device.usable) names.push_back(device.name);
  }
  return names.empty() ? "none" : join(names, ", ");
}

tl::unexpected<Error> refuse_cuda(const std::string& name) {
  const Result<std::vector<std::string>> found = cuda_devices();
  if (!found)
    return tl::unexpected<Error>(Error(found.error()).within(fmt::format("open {}", name)));
  return fail(ErrorCode::kUnsupported, fmt::format("cannot open {}: {}", name, kNoCudaYet),
              fmt::format("use --device vgpu; usable here: {}", known_devices()));
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
  if (kind == "cuda") return refuse_cuda(name);
  if (kind == "vgpu" || kind.empty()) {
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
          {fmt::format("cuda:{}", i), false, fmt::format("{}: {}", (*found)[i], kNoCudaYet)});
    }
  }
  return devices;
}

}  // namespace kp::device
