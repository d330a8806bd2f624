// SPDX-License-Identifier: Apache-2.0
// The arrays of one workload in device memory, with what surrounds and fills them before a run.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "device/bind.h"
#include "device/device.h"
#include "model/task.h"

namespace kp::harness {

struct ArraySpec {
  std::string name;
  DType dtype = DType::kF32;
  std::uint64_t count = 0;
  enum class Use { kRead, kWritten, kBoth, kScratch, kZeroed } use = Use::kRead;
  bool weight = false;
  std::uint64_t bytes() const { return count * size_of(dtype); }
};

using Bytes = std::vector<std::byte>;

/// Pseudo-random filling that cannot be recognised: by turns random bits, NaN patterns, and values
/// that look like results. `seed` decides which.
Bytes poison_for(const ArraySpec& array, std::uint64_t seed);

/// `period` over and over, `count` bytes in all.
Bytes repeated(const Bytes& period, std::uint64_t count);

class Arrays {
 public:
  /// `red_zone`: bytes of canaries before and after each array; 0 for devices that check every
  /// access.
  Arrays(device::Buffers& buffers, std::uint64_t red_zone)
      : buffers_(buffers), red_zone_(red_zone) {}
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;
  ~Arrays();

  /// kLimit when it does not fit.
  Result<void> add(const ArraySpec& spec);
  const std::vector<ArraySpec>& specs() const { return specs_; }

  Result<void> write(const std::string& name, std::span<const std::byte> bytes);
  /// poison_for, piece by piece: a candidate may declare large arrays.
  Result<void> poison(const std::string& name, std::uint64_t seed);
  Result<Bytes> read(const std::string& name);
  /// Offset of the first byte that no kernel wrote, when the device knows.
  std::optional<std::uint64_t> first_unwritten(const std::string& name);

  /// Fills the red zones; afterwards the name of an array beside which they changed.
  Result<void> set_canaries(std::uint64_t seed);
  Result<std::optional<std::string>> broken_canary(std::uint64_t seed);

  std::uint64_t address(const std::string& name) const { return place(name).address; }
  std::uint64_t red_zone() const { return red_zone_; }
  /// Addresses by name; only weights and scratch when `weights_only`.
  device::Binding binding(bool weights_only) const;

 private:
  struct Place {
    std::uint64_t allocation = 0, address = 0;
    std::size_t spec = 0;
  };
  const Place& place(const std::string& name) const;
  const ArraySpec& spec_of(const Place& place) const { return specs_[place.spec]; }

  device::Buffers& buffers_;
  std::uint64_t red_zone_;
  std::vector<ArraySpec> specs_;
  std::map<std::string, Place> places_;
};

}  // namespace kp::harness
