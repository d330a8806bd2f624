// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/gpu_spec.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <limits>

#include "base/text.h"

namespace kp::device::cuda {
namespace {

// CUdevice_attribute, cuda.h
constexpr int kMajor = 75, kMinor = 76;
constexpr int kClockKilohertz = 13, kMemoryKilohertz = 36, kMemoryBits = 37;
constexpr int kSharedPerSm = 81, kRegistersPerSm = 82, kThreadsPerSm = 39;
constexpr int kCooperative = 95, kClusters = 120, kTensorMaps = 127;

struct IntLimit {
  int attribute;
  int DeviceSpec::*member;
};
constexpr IntLimit kLimits[] = {{16, &DeviceSpec::sm_count},
                                {106, &DeviceSpec::blocks_per_sm},
                                {1, &DeviceSpec::threads_per_block},
                                {kRegistersPerSm, &DeviceSpec::registers_per_sm}};
struct ByteLimit {
  int attribute;
  std::int64_t DeviceSpec::*member;
};
constexpr ByteLimit kBytes[] = {{kSharedPerSm, &DeviceSpec::shared_per_sm},
                                {97, &DeviceSpec::shared_per_block},
                                {8, &DeviceSpec::shared_static},
                                {111, &DeviceSpec::shared_reserved},
                                {38, &DeviceSpec::l2_bytes}};

int attribute(const Opened& opened, int number) {
  const auto found = opened.attributes.find(number);
  return found != opened.attributes.end() ? found->second : 0;
}

int capability(const Opened& opened) {
  return 10 * attribute(opened, kMajor) + attribute(opened, kMinor);
}

int capability(const DeviceSpec& spec) { return std::atoi(spec.architecture.c_str() + 3); }

/// "NVIDIA H200" is a form of "NVIDIA H200 SXM", "NVIDIA H20" is not.
bool same_product(const std::string& driver, const std::string& spec) {
  return starts_with_word(spec, driver) || starts_with_word(driver, spec);
}

std::vector<DeviceSpec> all_specs() {
  std::vector<DeviceSpec> specs;
  const Result<Path> home = installation_folder();
  if (!home) return specs;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(*home / "specs", error)) {
    Result<DeviceSpec> spec = read_device_spec(entry.path().string());
    if (spec) specs.push_back(*std::move(spec));
  }
  return specs;
}

const DeviceSpec* nearest_architecture(const std::vector<DeviceSpec>& specs, int wanted) {
  const DeviceSpec* best = nullptr;
  for (const DeviceSpec& spec : specs) {
    const auto distance = [wanted](const DeviceSpec& of) {
      return std::abs(capability(of) - wanted);
    };
    if (best == nullptr || distance(spec) < distance(*best)) best = &spec;
  }
  return best;
}

void take_limits(const Opened& opened, DeviceSpec& spec) {
  for (const IntLimit& limit : kLimits) {
    if (const int value = attribute(opened, limit.attribute); value > 0) spec.*limit.member = value;
  }
  for (const ByteLimit& limit : kBytes) {
    if (const int value = attribute(opened, limit.attribute); value > 0) spec.*limit.member = value;
  }
  constexpr int kWarp = 32;
  if (const int threads = attribute(opened, kThreadsPerSm); threads > 0)
    spec.warps_per_sm = threads / kWarp;
  if (opened.memory_bytes > 0) spec.memory_bytes = static_cast<std::int64_t>(opened.memory_bytes);
  if (const double kilohertz = attribute(opened, kClockKilohertz); kilohertz > 0)
    spec.clock_hz = kilohertz * 1e3;
}

/// "NVIDIA L40S" as the name of a file: "l40s".
std::string short_name(const std::string& product) {
  std::string name;
  for (const char c : product) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  constexpr std::string_view kMaker = "nvidia";
  return name.starts_with(kMaker) ? name.substr(kMaker.size()) : name;
}

void forget_peaks(const Opened& opened, DeviceSpec& spec) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  spec.name = short_name(opened.name);
  spec.product = opened.name;
  spec.architecture = architecture_of(opened);
  for (double DeviceSpec::*peak :
       {&DeviceSpec::dram_peak, &DeviceSpec::dram_sustained, &DeviceSpec::l2_bandwidth,
        &DeviceSpec::scalar_flops_f32, &DeviceSpec::scalar_flops_f64})
    spec.*peak = kUnknown;
  for (auto& [precision, flops] : spec.flops) flops = kUnknown;
  spec.model.clear();
  // Two transfers a clock; what the driver says of the memory is a fact of this GPU.
  const double hertz = attribute(opened, kMemoryKilohertz) * 1e3;
  const double bytes = attribute(opened, kMemoryBits) / 8.0;
  if (hertz > 0 && bytes > 0) spec.dram_peak = 2 * hertz * bytes;
}

}  // namespace

std::string architecture_of(const Opened& opened) {
  const int number = capability(opened);
  return number > 0 ? fmt::format("sm_{}", number) : "";
}

Result<DeviceSpec> spec_of(const Opened& opened) {
  const std::vector<DeviceSpec> specs = all_specs();
  const DeviceSpec* found = nullptr;
  for (const DeviceSpec& spec : specs) {
    if (same_product(opened.name, spec.product)) found = &spec;
  }
  const bool known = found != nullptr;
  if (!known) found = nearest_architecture(specs, capability(opened));
  if (found == nullptr) {
    return fail(ErrorCode::kNotFound, "no device spec can be read",
                "set KERNELPRO_HOME to the folder that holds specs/");
  }
  DeviceSpec spec = *found;
  if (!known) forget_peaks(opened, spec);
  take_limits(opened, spec);
  return spec;
}

Result<Description> description_of(const Opened& opened, int gpu) {
  Description description{.name = fmt::format("cuda:{}", gpu), .timing = Grade::kMeasured};
  KP_TRY(description.spec, spec_of(opened));
  description.clusters = attribute(opened, kClusters) != 0;
  description.cooperative = attribute(opened, kCooperative) != 0;
  description.tensor_maps = attribute(opened, kTensorMaps) != 0;
  return description;
}

}  // namespace kp::device::cuda
