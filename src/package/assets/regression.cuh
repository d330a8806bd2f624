// SPDX-License-Identifier: Apache-2.0
// What the regression test of an exported operator is made of: seeded inputs, arrays on the device,
// and the comparison of two results by the gates that the search used (gate_rules.h).
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

#include "gate_rules.h"

namespace regression {

using kp::harness::rules::Gate;
using kp::harness::rules::Sums;

enum class Fill { kNormal, kUniform, kInteger };

struct Distribution {
  Fill fill;
  double low, high;
};

inline std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
/// In (0, 1).
inline double uniform(std::uint64_t key) { return ((mixed(key) >> 11) + 0.5) * 0x1p-53; }

inline double value_of(const Distribution& how, std::uint64_t key) {
  if (how.fill == Fill::kNormal)
    return std::sqrt(-2 * std::log(uniform(2 * key))) * std::cos(6.283185307179586 * uniform(2 * key + 1));
  if (how.fill == Fill::kUniform) return how.low + (how.high - how.low) * uniform(2 * key);
  return how.low + std::floor((how.high - how.low + 1) * uniform(2 * key));
}

template <class T>
T encoded(double value) {
  if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(value);
  else return static_cast<T>(static_cast<float>(value));
}
template <class T>
double decoded(T value) {
  if constexpr (std::is_arithmetic_v<T>) return static_cast<double>(value);
  else return static_cast<double>(static_cast<float>(value));
}

/// Long arrays repeat a prime number of values, so that no tile holds the same as its neighbour.
template <class T>
std::vector<T> drawn(std::size_t count, const Distribution& how, std::uint64_t seed) {
  constexpr std::size_t kPeriod = 65521, kIntegerPeriod = 16777213;
  const std::size_t period = how.fill == Fill::kInteger ? kIntegerPeriod : kPeriod;
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = i < period ? encoded<T>(value_of(how, (seed << 40) + i)) : values[i - period];
  return values;
}

inline bool ok(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return true;
  std::printf("  %s: %s\n", what, cudaGetErrorString(status));
  return false;
}

/// Memory on the device, filled with bytes that are NaN in every floating type.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : bytes_(bytes) {
    good_ = bytes == 0 || (ok(cudaMalloc(&address_, bytes), "cudaMalloc") &&
                           ok(cudaMemset(address_, 0xff, bytes), "cudaMemset"));
  }
  ~Memory() { cudaFree(address_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  bool good() const { return good_; }
  void* address() const { return address_; }

 protected:
  std::size_t bytes_;
  void* address_ = nullptr;
  bool good_ = false;
};

template <class T>
class Array : public Memory {
 public:
  explicit Array(std::size_t count) : Memory(count * sizeof(T)), count_(count) {}
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    good_ = good_ && ok(cudaMemcpy(address_, values.data(), bytes_, cudaMemcpyHostToDevice), "copy");
  }
  T* data() const { return static_cast<T*>(address_); }
  std::vector<double> values() const {
    // bool has no vector of its own that could be copied to.
    std::vector<unsigned char> raw(bytes_);
    if (!ok(cudaMemcpy(raw.data(), address_, bytes_, cudaMemcpyDeviceToHost), "copy")) return {};
    std::vector<double> decoded_values(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      T value;
      std::memcpy(static_cast<void*>(&value), raw.data() + i * sizeof(T), sizeof(T));
      decoded_values[i] = decoded(value);
    }
    return decoded_values;
  }

 private:
  std::size_t count_;
};

/// How one output is compared; `rounding` is the relative rounding of its type, 0 for integers.
struct Rule {
  const char* name;
  Gate gate;
  double rounding;
};

inline bool differs(const Rule& rule, std::size_t index, double got, double expected) {
  std::printf("  %s[%zu]: got %.9g, the original %.9g\n", rule.name, index, got, expected);
  return false;
}

inline Sums sums_of(const Rule& rule, const std::vector<double>& got,
                    const std::vector<double>& expected, std::size_t begin, std::size_t end) {
  Sums sums;
  for (std::size_t i = begin; i < end; ++i) {
    if (kp::harness::rules::counts(got[i], expected[i]))
      kp::harness::rules::add(sums, got[i], expected[i], 0, rule.rounding * std::fabs(expected[i]));
  }
  return sums;
}

/// Whether `got` is what the class allows beside `expected`: as a whole, and tile by tile.
inline bool agree(const Rule& rule, const std::vector<double>& got,
                  const std::vector<double>& expected, double* error) {
  namespace rules = kp::harness::rules;
  if (got.size() != expected.size() || got.empty()) return false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool integer = rule.rounding == 0;
    if (integer ? got[i] != expected[i] : rules::special_fault(rule.gate, got[i], expected[i]))
      return differs(rule, i, got[i], expected[i]);
  }
  const Sums whole = sums_of(rule, got, expected, 0, got.size());
  const double scale = rule.gate.zero_mean != 0 ? rules::centred_norm(whole) : rules::norm(whole);
  *error = scale > 0 ? std::sqrt(whole.error2) / scale : std::sqrt(whole.error2);
  if (rule.rounding == 0) return true;
  for (std::size_t begin = 0, end = 0; begin < got.size(); begin = end) {
    end = rules::tile_end(begin, got.size());
    const Sums tile = sums_of(rule, got, expected, begin, end);
    if (std::sqrt(tile.error2) > rules::kTileSlack * rules::limit(rule.gate, tile, whole)) {
      std::printf("  %s: elements %zu to %zu are too far off\n", rule.name, begin, end - 1);
      return false;
    }
  }
  if (std::sqrt(whole.error2) <= rules::limit(rule.gate, whole, whole)) return true;
  std::printf("  %s: relative error %.3g\n", rule.name, *error);
  return false;
}

}  // namespace regression
