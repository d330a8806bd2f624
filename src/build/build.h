// SPDX-License-Identifier: Apache-2.0
// From a candidate's source to something a device can load. Compilers run in child processes with a
// deadline and limits, see only allowed include folders, and their answers are cached by content.
#pragma once
#include <chrono>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/file.h"
#include "build/signature.h"
#include "build/toolchain.h"
#include "model/evaluation.h"
#include "model/task.h"

namespace kp::build {

/// What the compiler says of one kernel.
struct KernelResources {
  std::string kernel;
  int registers = 0;  // per thread
  int barriers = 0;
  std::int64_t static_shared = 0;                  // bytes per block
  std::int64_t stack = 0;                          // bytes per thread
  std::int64_t spill_stores = 0, spill_loads = 0;  // bytes per thread
};

struct Binary {
  std::string id;  // content address of source, options and compiler
  std::string ptx;
  std::string cubin;
  std::vector<KernelResources> resources;
  std::vector<KernelSignature> signatures;
  std::string compiler;  // "NVRTC 13.0"
  std::string log;       // warnings, may be empty
  const KernelResources* find_resources(std::string_view kernel) const;
  const KernelSignature* find_signature(std::string_view kernel) const;
};

/// Bad candidates are values.
using BuildOutcome = std::variant<Binary, BuildFailed, Rejected, TimedOut>;

struct BuildOptions {
  std::string architecture = "sm_90";
  std::chrono::milliseconds deadline{60'000};
  Path cache;                    // empty: cache_folder()/build
  std::vector<Path> code_roots;  // with the headers of level cute / cutlass (header_roots.h)
};

class Builder {
 public:
  /// kUnavailable when there is no CUDA compiler, with what to install.
  static Result<Builder> open(BuildOptions options = {});
  Builder(Builder&&) noexcept;
  ~Builder();
  /// Compiles, passes the binary gate, and checks the plan's arguments against the kernels'
  /// signatures.
  Result<BuildOutcome> build(const Task& task, const Candidate& candidate);
  const Toolchain& toolchain() const;

 private:
  struct State;
  explicit Builder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kp::build
