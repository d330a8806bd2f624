// SPDX-License-Identifier: Apache-2.0
// Arrays in one piece of device memory that another process maps.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "device/hardware.h"
#include "harness/arrays.h"
#include "torch/worker.h"

namespace kp::harness {

class SharedBlock {
 public:
  /// `what` is for messages. kLimit when it does not fit; kUnsupported where memory is not shared.
  static Result<std::unique_ptr<SharedBlock>> make(device::Hardware& hardware,
                                                   std::vector<ArraySpec> specs,
                                                   const std::string& what);
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;
  ~SharedBlock();

  const std::vector<ArraySpec>& specs() const { return specs_; }
  std::uint64_t address(std::size_t index) const { return base_ + offsets_[index]; }

  /// For whoever is to map it. The arrays say that they lie in memory number `memory`.
  torch::SharedMemory memory() const { return {shared_.descriptor.number(), shared_.bytes}; }
  std::vector<torch::SharedArray> arrays(std::size_t memory) const;

 private:
  SharedBlock(device::Buffers& buffers, std::vector<ArraySpec> specs)
      : buffers_(buffers), specs_(std::move(specs)) {}

  device::Buffers& buffers_;
  std::vector<ArraySpec> specs_;
  std::vector<std::uint64_t> offsets_;  // of each array
  std::uint64_t base_ = 0;
  device::SharedArray shared_;
};

}  // namespace kp::harness
