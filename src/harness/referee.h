// SPDX-License-Identifier: Apache-2.0
// Trusted kernels that fill arrays, recall what they filled, and compare outputs where they lie, so
// that nothing proportional to an array passes through the host. They run on a device on which no
// candidate ever runs; on hardware that is Hardware::trusted().
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "base/hash.h"
#include "build/build.h"
#include "device/device.h"
#include "harness/gates.h"
#include "harness/kernels/arguments.h"
#include "model/plan.h"

namespace kp::harness {

/// Elements [first, first + count) of the array of `dtype` at `address`, drawn by (key, stream,
/// index).
struct Filling {
  std::uint64_t address = 0, count = 0;
  DType dtype = DType::kF32;
  referee::FillKind kind = referee::kFillBits;
  double low = 0, high = 1;  // uniform and integer
  std::uint64_t key = 0, stream = 0;
  std::uint64_t first = 0;
  std::optional<DType> storage;  // how rounded values are stored, where it differs
  double nudge = 0;              // see nudged() in value_sets.h
  std::uint64_t source = 0;      // where hold() put what is to be copied
  Structure structure;           // of what is drawn
  MatrixExtents extents;
};
/// As a tensor of this distribution.
Filling filling_for(const Distribution& distribution, DType dtype);
/// As `tensor` is drawn in `workload`, with its structure.
Result<Filling> filling_for(const Tensor& tensor, const Workload& workload);

/// `got` beside what is expected.
struct Comparison {
  GateRequest gate;  // without its spans
  std::uint64_t got = 0, expected = 0, count = 0;
  std::uint64_t nudged = 0;  // 0: none was computed, the response counts as zero
  DType expected_dtype = DType::kF64;
};

struct Region {
  std::uint64_t address = 0, bytes = 0;  // the address is a multiple of 8
};

class Referee {
 public:
  /// Compiles the kernels, or takes them from the cache. `device` must outlive the referee.
  static Result<std::unique_ptr<Referee>> open(device::Device& device,
                                               const build::Toolchain& toolchain,
                                               const Path& cache);
  ~Referee();

  /// Puts data of a file into memory of the referee's own, once; returns the address.
  Result<std::uint64_t> hold(const FixedInput& data);
  Result<void> fill(std::span<const Filling> fillings);
  /// How many elements are still what the filling wrote, and which are the first.
  Result<std::vector<referee::RecallResult>> recall(std::span<const Filling> fillings);
  /// 128 bits: sums over all words of keyed mixtures of word and place. Without the key nobody can
  /// aim at a collision; by chance one in 2^128 pairs of contents has one.
  Result<std::vector<Hash128>> fingerprint(std::span<const Region> regions, std::uint64_t key);
  Result<std::vector<GateVerdict>> compare(std::span<const Comparison> comparisons);
  /// Elements [begin, end) of an array as double.
  Result<std::vector<double>> read(std::uint64_t address, DType dtype, std::size_t begin,
                                   std::size_t end);

 private:
  struct State;
  explicit Referee(std::unique_ptr<State> state);
  Result<GateVerdict> verdict_of(const Comparison& comparison, const OutputFacts& facts);
  std::unique_ptr<State> state_;
};

}  // namespace kp::harness
