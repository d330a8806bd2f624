// SPDX-License-Identifier: Apache-2.0
// The judge's side of one process kernelpro-gpu: a fresh one for each candidate, one that lives
// long for trusted code.
#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/process.h"
#include "base/stop.h"
#include "device/cuda/confinement.h"
#include "device/cuda/fault.h"
#include "device/cuda/protocol.h"
#include "device/cuda/staging.h"

namespace kp::device::cuda {

struct WorkerSpec {
  Path program;         // kernelpro-gpu
  int gpu = 0;          // number of the device
  std::string kernels;  // cubin of worker/kernels.cu
  Confinement confinement = Confinement::kMinimal;
  Path sanitizer{};                // compute-sanitizer; empty: it is not there
  const StopFlag* stop = nullptr;  // ends every wait for the process, and the process; may be null
};

/// What the driver says of the GPU.
struct Opened {
  std::string name, uuid;          // "NVIDIA H200"
  std::map<int, int> attributes;   // by CUdevice_attribute
  std::uint64_t memory_bytes = 0;  // of the device
  int driver = 0;                  // 13000: CUDA 13.0
  std::string confined;            // as the process says
};

struct Request {
  nlohmann::json body;
  std::string phase;  // of a TimedOut: "load", "check", "time", ...
  std::chrono::milliseconds deadline{60'000};
  std::vector<int> descriptors{};
};
/// Frame: "ok" is true. After a TimedOut, and after a Fault that ends the process, it is killed;
/// when the stop flag is up, it is killed too and whatever is answered means nothing.
using Reply = std::variant<Frame, Fault, TimedOut>;

class Worker {
 public:
  /// Returns once the process runs; it starts the driver by itself meanwhile.
  static Result<std::unique_ptr<Worker>> start(const WorkerSpec& spec);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Waits until the driver runs. kUnavailable says why it does not.
  Result<Opened> opened();
  /// One request and its answer; opened() comes first. A dead process answers what ended it.
  Reply ask(const Request& request);
  /// ask() for requests of our own: whatever goes wrong is an error.
  Result<Frame> demand(const Request& request, std::string_view what);

  bool alive() const { return !end_; }
  bool stopped() const { return spec_.stop != nullptr && spec_.stop->requested(); }
  Staging& staging() { return staging_; }
  Confinement confinement() const { return spec_.confinement; }
  /// Without waiting; then gone() waits until the system has taken everything back.
  void kill();
  bool gone(std::chrono::milliseconds patience) { return process_.gone(patience); }

 private:
  Worker(WorkerSpec spec, std::uint64_t nonce, Process process, Descriptor socket, Staging staging);
  Result<void> send(const Request& request);
  Reply receive(const Request& request);
  Reply lose(Reply end);
  Fault how_it_died(const Error& error);

  WorkerSpec spec_;
  std::uint64_t nonce_;
  Process process_;
  Descriptor socket_;
  Staging staging_;
  std::optional<Opened> opened_;
  std::optional<std::variant<Fault, TimedOut>> end_;
};

}  // namespace kp::device::cuda
