// SPDX-License-Identifier: Apache-2.0
// Shared memory through which bytes reach a worker and come back. Used by worker.cc and memory.cc.
#pragma once
#include <cstddef>
#include <span>

#include "base/descriptor.h"
#include "base/result.h"

namespace kp::device::cuda {

/// kStagingBytes of memory that cannot shrink, so that no process can take it away from another.
class Staging {
 public:
  static Result<Staging> make();
  Staging(Staging&& other) noexcept;
  Staging& operator=(Staging&& other) noexcept;
  ~Staging();

  int descriptor() const { return file_.number(); }
  /// Mapped here at the first call; kLimit when this process has no room for it.
  Result<std::span<std::byte>> bytes();

 private:
  explicit Staging(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
  std::span<std::byte> bytes_;
};

}  // namespace kp::device::cuda
