// SPDX-License-Identifier: Apache-2.0
// Runs a CUDA compiler on one source: NVRTC in our worker process, nvcc for what NVRTC cannot read.
#pragma once
#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "build/toolchain.h"
#include "model/evaluation.h"

namespace kp::build {

struct CompileRequest {
  std::string source;
  std::string name;  // file name in messages and line tables
  std::string architecture;
  std::vector<std::string> defines;  // "BLOCK=128"
  std::vector<Path> include_roots;
  std::string headers;  // content address of what they hold
  std::chrono::milliseconds deadline{60'000};
};

struct Compiled {
  bool ok = false;       // false: `log` says why
  std::string compiler;  // "NVRTC 13.0", "nvcc 13.0"
  std::string log;
  std::string ptx, cubin;
};

/// Everything that decides what comes out, as a content address.
std::string address_of(const CompileRequest& request, const Toolchain& toolchain);

/// Errors: the worker program is missing, no temporary folder.
Result<std::variant<Compiled, TimedOut>> compile(const CompileRequest& request,
                                                 const Toolchain& toolchain);

}  // namespace kp::build
