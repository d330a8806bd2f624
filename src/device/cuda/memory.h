// SPDX-License-Identifier: Apache-2.0
// Device memory as Buffers: arrays that lie at the same address in every worker. Physical memory is
// the trusted worker's; the others map it.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "device/cuda/worker.h"
#include "device/hardware.h"

namespace kp::device::cuda {

/// Each array ends with its last page, up to its alignment, and behind it lies a page that nothing
/// maps: an access beyond faults.
class Memory : public Buffers {
 public:
  /// `total_bytes` of the GPU, for messages.
  Memory(Worker& trusted, std::uint64_t total_bytes)
      : trusted_(trusted), total_bytes_(total_bytes) {}

  Result<std::uint64_t> allocate(std::uint64_t bytes, const std::string& name) override;
  void release(std::uint64_t address) override;
  Result<void> write(std::uint64_t address, std::span<const std::byte> bytes) override;
  Result<void> read(std::uint64_t address, std::span<std::byte> bytes) override;
  Result<void> poison(std::uint64_t address, std::span<const std::byte> bytes) override;
  /// Hardware does not know.
  std::optional<std::uint64_t> first_undefined(std::uint64_t, std::uint64_t) override {
    return std::nullopt;
  }

  struct Extent {
    std::uint64_t address = 0, bytes = 0;  // as asked for
    bool written = false;                  // by write() or a kernel, since it was poisoned
  };
  std::vector<Extent> extents() const;
  /// A kernel may have written to the array at `address`.
  void note_written(std::uint64_t address);

  /// What lies at `address`, for processes that are none of ours.
  Result<SharedArray> share(std::uint64_t address);

  /// From now on `worker` sees every array, until detach().
  Result<void> attach(Worker& worker);
  void detach(Worker& worker);

 private:
  struct Array {
    std::uint64_t base = 0, bytes = 0;  // pages
    Descriptor descriptor;
    std::uint64_t asked = 0;  // bytes
    bool written = false;
  };
  Result<void> map(Worker& worker, const Array& array) const;
  Array* array_with(std::uint64_t address);
  Result<void> transfer(std::uint64_t address, std::span<const std::byte> bytes);
  std::uint64_t free_base(std::uint64_t bytes) const;
  std::uint64_t used_bytes() const;

  Worker& trusted_;
  std::uint64_t total_bytes_;
  std::map<std::uint64_t, Array> arrays_;  // by address
  std::vector<Worker*> attached_;
};

}  // namespace kp::device::cuda
