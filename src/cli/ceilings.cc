// SPDX-License-Identifier: Apache-2.0
#include "cli/ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "assets/calibration.h"
#include "assets/calibration_sm90.h"
#include "base/text.h"
#include "build/compile.h"
#include "build/ptxas_log.h"

namespace kp::cli {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kSampledBlocks = 16;  // of the virtual GPU

/// The two arrays that all kernels share.
struct Arrays {
  std::uint64_t x = 0, y = 0, bytes = 0;
};
/// Parameters of every kernel of calibration.cu.
struct Parameters {
  std::uint64_t x, y;
  std::int32_t n, passes;
};

/// How a kernel is launched, and the work that one launch does.
struct Load {
  std::string key, kernel, unit, how;
  std::uint32_t blocks = 1;
  std::int32_t n = 0, passes = 0;
  double work = 0;  // FLOP or bytes; 0: the time itself is asked for
};

Result<build::Binary> compiled(std::string_view source, const std::string& name,
                               const std::string& architecture, const build::Toolchain& toolchain) {
  KP_TRY(auto outcome,
         build::compile({.source = std::string(source), .name = name, .architecture = architecture},
                        toolchain));
  const auto* made = std::get_if<build::Compiled>(&outcome);
  if (made == nullptr || !made->ok) {
    return fail(ErrorCode::kUnavailable,
                fmt::format("{} does not compile for {}: {}", name, architecture,
                            made ? made->log : "the compiler did not end"),
                "use a CUDA toolkit that knows this GPU");
  }
  return build::Binary{.id = name + architecture,
                       .ptx = made->ptx,
                       .cubin = made->cubin,
                       .resources = build::read_ptxas_log(made->log)};
}

device::BoundLaunch launch_of(const Load& load, const Arrays& arrays) {
  const Parameters parameters{arrays.x, arrays.y, load.n, load.passes};
  device::BoundLaunch launch{.kernel = load.kernel};
  launch.shape.grid[0] = load.blocks;
  launch.shape.block[0] = kThreads;
  if (load.work > 0) {
    launch.parameters.resize(sizeof parameters);
    std::memcpy(launch.parameters.data(), &parameters, sizeof parameters);
  }
  return launch;
}

Result<Ceiling> measure(device::Device& device, device::Loaded& module, const Load& load,
                        const Arrays& arrays) {
  const std::vector<device::BoundStep> steps{launch_of(load, arrays)};
  KP_TRY(const device::TimeReport report,
         device.time(module, {.steps = steps, .sample_blocks = kSampledBlocks}));
  if (!std::holds_alternative<std::monostate>(report.mishap) || report.nanoseconds <= 0) {
    return fail(ErrorCode::kUnavailable, fmt::format("{} did not end well", load.kernel),
                "another process may hold the GPU; try again");
  }
  const double value = load.work > 0 ? load.work / report.nanoseconds * 1e9 : report.nanoseconds;
  return Ceiling{load.key, value, load.unit, load.how};
}

std::vector<Load> memory_loads(const DeviceSpec& spec, const Arrays& arrays) {
  const auto copied = static_cast<std::int32_t>(arrays.bytes / sizeof(float[4]));
  const auto reread = static_cast<std::int32_t>(spec.l2_bytes / 2 / 16);
  constexpr std::int32_t kPasses = 64;
  const double bytes = static_cast<double>(arrays.bytes);
  return {
      {.key = "launch_overhead", .kernel = "calibrate_launch", .unit = "ns", .how = "empty kernel"},
      {.key = "dram_sustained",
       .kernel = "calibrate_copy",
       .unit = "byte/s",
       .how = fmt::format("copy of {}, read and write together", format_bytes(bytes)),
       .blocks = (static_cast<std::uint32_t>(copied) + kThreads - 1) / kThreads,
       .n = copied,
       .work = 2 * bytes},
      {.key = "l2_bandwidth",
       .kernel = "calibrate_l2",
       .unit = "byte/s",
       .how = "half of the L2 read again and again",
       .blocks = static_cast<std::uint32_t>(spec.sm_count) * 8,
       .n = reread,
       .passes = kPasses,
       .work = 16.0 * reread * kPasses}};
}

/// FLOP of one lane, warp or warp group in one pass.
struct Product {
  const char* key;
  const char* kernel;
  double flop;
  unsigned lanes;
  const char* how;
};
constexpr Product kScalar[] = {{"scalar_flops_f32", "calibrate_f32", 16, 1, "chains of FFMA"},
                               {"scalar_flops_f64", "calibrate_f64", 16, 1, "chains of DFMA"}};
constexpr double k16 = 8 * 2 * 16 * 8 * 16, k8 = 8 * 2 * 16 * 8 * 8;
constexpr Product kWarp[] = {{"f16", "calibrate_f16", k16, 32, "mma.sync"},
                             {"bf16", "calibrate_bf16", k16, 32, "mma.sync"},
                             {"tf32", "calibrate_tf32", k8, 32, "mma.sync"}};
constexpr double kGroup16 = 8.0 * 2 * 64 * 256 * 16, kGroup8 = 8.0 * 2 * 64 * 256 * 8;
constexpr Product kWarpGroup[] = {{"f16", "calibrate_f16", kGroup16, 128, "wgmma"},
                                  {"bf16", "calibrate_bf16", kGroup16, 128, "wgmma"},
                                  {"tf32", "calibrate_tf32", kGroup8, 128, "wgmma"}};

template <std::size_t N>
std::vector<Load> product_loads(const Product (&products)[N], const device::Description& device) {
  // Some milliseconds on a GPU; the virtual one needs no time to warm up.
  const std::int32_t passes = device.timing == Grade::kModelled ? 256 : 16384;
  const auto blocks = static_cast<std::uint32_t>(device.spec.sm_count) * 4;
  std::vector<Load> loads;
  for (const Product& product : products) {
    loads.push_back({.key = product.key,
                     .kernel = product.kernel,
                     .unit = "FLOP/s",
                     .how = product.how,
                     .blocks = blocks,
                     .passes = passes,
                     .work = product.flop * passes * blocks * (kThreads / product.lanes)});
  }
  return loads;
}

/// Of two ways to the same ceiling the better one counts.
void keep_best(std::vector<Ceiling>& ceilings, const Ceiling& ceiling) {
  for (Ceiling& known : ceilings) {
    if (known.key != ceiling.key) continue;
    if (known.value < ceiling.value) known = ceiling;
    return;
  }
  ceilings.push_back(ceiling);
}

Result<void> measure_all(device::Device& device, build::Binary binary,
                         const std::vector<Load>& loads, const Arrays& arrays,
                         std::vector<Ceiling>& ceilings) {
  for (const Load& load : loads) binary.signatures.push_back({.kernel = load.kernel});
  KP_TRY(auto loaded, device.load(binary));
  auto* module = std::get_if<std::unique_ptr<device::Loaded>>(&loaded);
  if (module == nullptr) {
    return fail(
        ErrorCode::kUnavailable,
        fmt::format("the GPU does not load our kernels: {}", std::get<Crashed>(loaded).message),
        "use a driver that knows this GPU");
  }
  for (const Load& load : loads) {
    KP_TRY(const Ceiling ceiling, measure(device, **module, load, arrays).within(load.kernel));
    keep_best(ceilings, ceiling);
  }
  return {};
}

/// Several times the L2, which must not hold what is copied.
Result<Arrays> allocate(device::Device& device) {
  constexpr std::int64_t kTimesL2 = 8;
  const DeviceSpec& spec = device.describe().spec;
  Arrays arrays;
  arrays.bytes = static_cast<std::uint64_t>(
      std::min(kTimesL2 * spec.l2_bytes, spec.memory_bytes / 4) / 4096 * 4096);
  KP_TRY(arrays.x, device.buffers().allocate(arrays.bytes, "x"));
  KP_TRY(arrays.y, device.buffers().allocate(arrays.bytes, "y"));
  return arrays;
}

}  // namespace

Result<std::vector<Ceiling>> measure_ceilings(device::Device& device,
                                              const build::Toolchain& toolchain) {
  const device::Description& description = device.describe();
  const std::string& architecture = description.spec.architecture;
  KP_TRY(const Arrays arrays, allocate(device));
  KP_TRY(const auto plain,
         compiled(assets::calibration, "calibration.cu", architecture, toolchain));
  std::vector<Load> loads = memory_loads(description.spec, arrays);
  for (Load& load : product_loads(kScalar, description)) loads.push_back(std::move(load));
  for (Load& load : product_loads(kWarp, description)) loads.push_back(std::move(load));
  std::vector<Ceiling> ceilings;
  KP_TRY_VOID(measure_all(device, plain, loads, arrays, ceilings));
  // The virtual GPU has no products of warp groups.
  if (architecture == "sm_90" && description.timing == Grade::kMeasured) {
    KP_TRY(const auto wide,
           compiled(assets::calibration_sm90, "calibration_sm90.cu", "sm_90a", toolchain));
    KP_TRY_VOID(
        measure_all(device, wide, product_loads(kWarpGroup, description), arrays, ceilings));
  }
  device.buffers().release(arrays.x);
  device.buffers().release(arrays.y);
  return ceilings;
}

}  // namespace kp::cli
