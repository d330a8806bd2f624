// SPDX-License-Identifier: Apache-2.0
// The seam to a GPU, real or virtual. A device loads binaries, owns memory, runs bound launches and
// times them. It knows nothing of tasks or correctness.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "build/build.h"
#include "model/device_spec.h"
#include "model/evaluation.h"
#include "model/profile.h"
#include "task/task.h"

namespace kp::device {

struct Description {
  std::string name;  // "vgpu:h200"
  DeviceSpec spec;
  Grade timing = Grade::kModelled;
  bool clusters = false, cooperative = false, tensor_maps = false;
};

/// A binary on the device.
class Loaded {
 public:
  virtual ~Loaded() = default;
};

/// A TMA descriptor that the device encodes into its place in a parameter block.
struct BoundTensorMap {
  std::uint32_t offset = 0;   // of the 128-byte CUtensorMap in the block, bytes
  std::uint64_t address = 0;  // of the array
  DType dtype = DType::kF32;
  std::vector<std::uint64_t> extents;  // elements, innermost dimension first
  std::vector<std::uint32_t> box;      // likewise
  std::string swizzle = "none";        // none | 32B | 64B | 128B
};

/// One step of the plan with everything it needs.
struct BoundLaunch {
  std::string kernel;
  task::ResolvedLaunch shape;
  std::vector<std::byte> parameters;  // the kernel's parameter block
  std::vector<BoundTensorMap> tensor_maps;
};
struct BoundZero {
  std::uint64_t address = 0, bytes = 0;
};
using BoundStep = std::variant<BoundLaunch, BoundZero>;

enum class Inspect { kValues, kCheck };

struct RunRequest {
  std::span<const BoundStep> steps;
  Inspect inspect = Inspect::kValues;
  std::uint64_t schedule_seed = 0;  // devices that can permute their schedule do so for each seed
  double deadline_seconds = 60;     // real devices
  std::uint64_t instruction_budget =
      0;  // virtual devices: warp instructions for each launch; 0: none
};
/// What a run or a timing came to, apart from memory contents.
using Mishap = std::variant<std::monostate, Crashed, TimedOut>;

struct LaunchReport {
  std::string kernel;
  int step = 0;  // index in the plan
  double nanoseconds = 0;
  MetricSet metrics;  // what the device learned while timing; may be empty
  std::vector<LineProfile> lines;
};
struct TimeRequest {
  std::span<const BoundStep> steps;
  std::uint64_t sample_blocks = 0;  // virtual devices: about how many blocks to execute; 0: all
  std::uint64_t instruction_budget = 0;
  double deadline_seconds = 60;
};
struct TimeReport {
  Mishap mishap;
  double nanoseconds = 0;           // of all steps
  std::optional<double> low, high;  // 95 % interval, measured times only
  Grade grade = Grade::kModelled;
  std::vector<LaunchReport> launches;
};

/// Device memory as the harness sees it.
class Buffers {
 public:
  virtual ~Buffers() = default;
  /// kLimit when it does not fit, with what was asked and what there is.
  virtual Result<std::uint64_t> allocate(std::uint64_t bytes, const std::string& name) = 0;
  virtual void release(std::uint64_t address) = 0;
  virtual Result<void> write(std::uint64_t address, std::span<const std::byte> bytes) = 0;
  virtual Result<void> read(std::uint64_t address, std::span<std::byte> bytes) = 0;
  /// Like write, but the bytes stay undefined for devices that can tell.
  virtual Result<void> poison(std::uint64_t address, std::span<const std::byte> bytes) = 0;
  /// Offset of the first byte of [address, address + bytes) that nobody wrote, when the device
  /// knows.
  virtual std::optional<std::uint64_t> first_undefined(std::uint64_t address,
                                                       std::uint64_t bytes) = 0;
};

class Hardware;

class Device {
 public:
  virtual ~Device() = default;
  virtual const Description& describe() const = 0;
  virtual Buffers& buffers() = 0;
  /// A form that the device cannot execute is Crashed{kUnsupported}, naming instruction and line.
  virtual Result<std::variant<std::unique_ptr<Loaded>, Crashed>> load(
      const build::Binary& binary) = 0;
  virtual Result<Mishap> run(Loaded& module, const RunRequest& request) = 0;
  virtual Result<TimeReport> time(Loaded& module, const TimeRequest& request) = 0;
  /// Null for virtual devices (hardware.h).
  virtual Hardware* hardware() { return nullptr; }
};

/// `name`: "vgpu[:SPEC]", "cuda[:N]" or empty for the first that works. kNotFound lists the devices
/// there are. `stop` ends long runs early; it must outlive the device.
Result<std::unique_ptr<Device>> open_device(const std::string& name,
                                            const StopFlag* stop = nullptr);

struct Availability {
  std::string name;  // "vgpu:h200"
  bool usable = false;
  std::string detail;  // why not and how to enable it, or what it is
};
/// Every device that this build knows, usable or not, for doctor.
std::vector<Availability> list_devices();

}  // namespace kp::device
