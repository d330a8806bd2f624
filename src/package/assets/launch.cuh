// SPDX-License-Identifier: Apache-2.0
// How the launches of an exported operator are made: sizes in checked integers, arguments in the
// types of the kernel's parameters. Private to the operator's own sources.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>

namespace kernelpro {
namespace {

/// An integer of 64 bits that knows when it is none: after an overflow or a division by zero.
/// Division truncates towards zero, conditions give 0 or 1, both sides of && and || count.
struct Whole {
  long long value = 0;
  bool good = true;

  Whole() = default;
  Whole(long long number) : value(number) {}
  Whole(long long number, bool is_good) : value(number), good(is_good) {}

  friend Whole operator+(Whole a, Whole b) {
    Whole sum(0, a.good && b.good);
    sum.good &= !__builtin_add_overflow(a.value, b.value, &sum.value);
    return sum;
  }
  friend Whole operator-(Whole a, Whole b) {
    Whole difference(0, a.good && b.good);
    difference.good &= !__builtin_sub_overflow(a.value, b.value, &difference.value);
    return difference;
  }
  friend Whole operator*(Whole a, Whole b) {
    Whole product(0, a.good && b.good);
    product.good &= !__builtin_mul_overflow(a.value, b.value, &product.value);
    return product;
  }
  friend Whole operator-(Whole a) { return Whole(0) - a; }
  friend bool divides(Whole a, Whole b) {
    const bool too_large = a.value == std::numeric_limits<long long>::min() && b.value == -1;
    return a.good && b.good && b.value != 0 && !too_large;
  }
  friend Whole operator/(Whole a, Whole b) {
    return divides(a, b) ? Whole(a.value / b.value) : Whole(0, false);
  }
  friend Whole operator%(Whole a, Whole b) {
    return divides(a, b) ? Whole(a.value % b.value) : Whole(0, false);
  }
  friend Whole ceil_div(Whole a, Whole b) {
    if (!divides(a, b)) return Whole(0, false);
    const bool up = a.value % b.value != 0 && (a.value < 0) == (b.value < 0);
    return a.value / b.value + (up ? 1 : 0);
  }
  friend Whole min(Whole a, Whole b) {
    return {a.value < b.value ? a.value : b.value, a.good && b.good};
  }
  friend Whole max(Whole a, Whole b) {
    return {a.value < b.value ? b.value : a.value, a.good && b.good};
  }
  friend Whole operator<(Whole a, Whole b) { return {a.value < b.value, a.good && b.good}; }
  friend Whole operator<=(Whole a, Whole b) { return {a.value <= b.value, a.good && b.good}; }
  friend Whole operator>(Whole a, Whole b) { return {a.value > b.value, a.good && b.good}; }
  friend Whole operator>=(Whole a, Whole b) { return {a.value >= b.value, a.good && b.good}; }
  friend Whole operator==(Whole a, Whole b) { return {a.value == b.value, a.good && b.good}; }
  friend Whole operator!=(Whole a, Whole b) { return {a.value != b.value, a.good && b.good}; }
  friend Whole operator&&(Whole a, Whole b) { return {a.value && b.value, a.good && b.good}; }
  friend Whole operator||(Whole a, Whole b) { return {a.value || b.value, a.good && b.good}; }
  friend Whole operator!(Whole a) { return {!a.value, a.good}; }
};

/// Scratch arrays one after the other in memory of the caller; without memory it only counts.
class Workspace {
 public:
  explicit Workspace(void* memory) : memory_(static_cast<char*>(memory)) {}
  void* take(Whole bytes) {
    void* const at = memory_ == nullptr ? nullptr : memory_ + bytes_.value;
    bytes_ = bytes_ + ceil_div(bytes, kAlignment) * kAlignment;
    return at;
  }
  /// -1 when a size is no size.
  std::int64_t bytes() const { return bytes_.good && bytes_.value >= 0 ? bytes_.value : -1; }

 private:
  static constexpr long long kAlignment = 256;
  char* memory_;
  Whole bytes_;
};

/// More dynamic shared memory than 48 KiB has to be asked for, once for each kernel and device.
class SharedOptIn {
 public:
  cudaError_t ensure(const void* kernel, long long bytes) {
    int device = 0;
    if (bytes <= kWithout) return cudaSuccess;
    const cudaError_t found = cudaGetDevice(&device);
    if (found != cudaSuccess) return found;
    const bool known = device < kDevices;
    if (known && granted_[device].load(std::memory_order_relaxed) >= bytes) return cudaSuccess;
    const cudaError_t set = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
    if (set == cudaSuccess && known) granted_[device].store(bytes, std::memory_order_relaxed);
    return set;
  }

 private:
  static constexpr long long kWithout = 48 << 10;
  static constexpr int kDevices = 64;
  std::atomic<long long> granted_[kDevices] = {};
};

struct Extent {
  Whole x = 1, y = 1, z = 1;
};
struct Shape {
  Extent grid, block;
  Whole shared = 0;  // bytes of dynamic shared memory
  Extent cluster;
  bool cooperative = false;
  SharedOptIn* opt_in = nullptr;
};

/// Launches one after the other on a stream; after a failure it does nothing more.
class Launcher {
 public:
  explicit Launcher(cudaStream_t stream) : stream_(stream) {}
  cudaError_t status() const { return status_; }

  template <class... Parameters, class... Arguments>
  void operator()(void (*kernel)(Parameters...), const Shape& shape, const Arguments&... given) {
    static_assert(sizeof...(Parameters) == sizeof...(Arguments), "as many as the kernel takes");
    std::tuple<Parameters...> values{as<Parameters>(given)...};
    std::apply(
        [&](Parameters&... value) {
          void* addresses[] = {static_cast<void*>(&value)..., nullptr};
          start(reinterpret_cast<const void*>(kernel), shape, addresses);
        },
        values);
  }

  void zero(void* memory, Whole bytes) {
    if (!bytes.good || bytes.value < 0) fail(cudaErrorInvalidValue);
    if (status_ != cudaSuccess) return;
    fail(cudaMemsetAsync(memory, 0, static_cast<std::size_t>(bytes.value), stream_));
  }

  /// A TMA descriptor; the innermost dimension first.
  template <int rank>
  CUtensorMap map(const void* memory, CUtensorMapDataType type, int element_bytes,
                  const Whole (&extents)[rank], const Whole (&box)[rank],
                  CUtensorMapSwizzle swizzle) {
    CUtensorMap encoded{};
    cuuint64_t sizes[rank], strides[rank];
    cuuint32_t boxes[rank], steps[rank];
    Whole stride = element_bytes;
    for (int i = 0; i < rank; ++i) {
      stride = stride * extents[i];
      if (!stride.good || !box[i].good) fail(cudaErrorInvalidValue);
      sizes[i] = static_cast<cuuint64_t>(extents[i].value);
      strides[i] = static_cast<cuuint64_t>(stride.value);
      boxes[i] = static_cast<cuuint32_t>(box[i].value);
      steps[i] = 1;
    }
    const auto encode = encoder();
    if (status_ != cudaSuccess) return encoded;
    const CUresult result = encode(
        &encoded, type, rank, const_cast<void*>(memory), sizes, strides, boxes, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) fail(cudaErrorInvalidValue);
    return encoded;
  }

 private:
  using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*,
                              const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                              const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

  /// The driver's function, found at run time so that nothing links against the driver.
  Encode encoder() {
    static Encode found = nullptr;
    if (found != nullptr) return found;
    void* function = nullptr;
    cudaDriverEntryPointQueryResult answer = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    fail(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                          cudaEnableDefault, &answer));
#else
    fail(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &answer));
#endif
    if (function == nullptr) fail(cudaErrorNotSupported);
    found = reinterpret_cast<Encode>(function);
    return found;
  }

  void fail(cudaError_t error) {
    if (status_ == cudaSuccess) status_ = error;
  }

  /// `given` in the type of a kernel's parameter.
  template <class P, class A>
  P as(const A& given) {
    if constexpr (std::is_same_v<P, A> || std::is_pointer_v<P>) {
      return (P)given;  // the plan was checked: the parameter views these elements
    } else if constexpr (std::is_same_v<A, Whole>) {
      if (!given.good) fail(cudaErrorInvalidValue);
      if constexpr (std::is_integral_v<P>) return whole<P>(given.value);
      else return static_cast<P>(static_cast<double>(given.value));
    } else if constexpr (std::is_integral_v<P>) {
      const double number = real(given);
      if (number != std::floor(number) || std::fabs(number) > 0x1p53) fail(cudaErrorInvalidValue);
      return status_ == cudaSuccess ? whole<P>(static_cast<long long>(number)) : P{};
    } else {
      return static_cast<P>(real(given));
    }
  }
  template <class A>
  static double real(const A& given) {
    if constexpr (std::is_arithmetic_v<A>) return static_cast<double>(given);
    else return static_cast<double>(static_cast<float>(given));
  }
  template <class P>
  P whole(long long value) {
    using Limits = std::numeric_limits<P>;
    const bool fits = value < 0 ? Limits::is_signed && value >= static_cast<long long>(Limits::min())
                                : static_cast<unsigned long long>(value) <=
                                      static_cast<unsigned long long>(Limits::max());
    if (!fits) fail(cudaErrorInvalidValue);
    return static_cast<P>(value);
  }

  unsigned one(Whole extent) {
    const bool fits = extent.good && extent.value >= 1 &&
                      extent.value <= std::numeric_limits<int>::max();
    if (!fits) fail(cudaErrorInvalidValue);
    return fits ? static_cast<unsigned>(extent.value) : 1;
  }
  dim3 all(const Extent& extent) { return dim3(one(extent.x), one(extent.y), one(extent.z)); }

  void start(const void* kernel, const Shape& shape, void** arguments) {
    cudaLaunchConfig_t config{};
    config.gridDim = all(shape.grid);
    config.blockDim = all(shape.block);
    const dim3 cluster = all(shape.cluster);
    if (!shape.shared.good || shape.shared.value < 0) fail(cudaErrorInvalidValue);
    config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared.value);
    config.stream = stream_;
    cudaLaunchAttribute attributes[2] = {};
    config.attrs = attributes;
    const unsigned blocks = cluster.x * cluster.y * cluster.z;
    if (blocks > 1) {
      cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim.x = cluster.x;
      attribute.val.clusterDim.y = cluster.y;
      attribute.val.clusterDim.z = cluster.z;
    }
    if (shape.cooperative) {
      cudaLaunchAttribute& attribute = attributes[config.numAttrs++];
      attribute.id = cudaLaunchAttributeCooperative;
      attribute.val.cooperative = 1;
    }
    constexpr unsigned kPortableCluster = 8;  // blocks; more has to be asked for
    if (status_ == cudaSuccess && blocks > kPortableCluster)
      fail(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    if (status_ == cudaSuccess && shape.opt_in != nullptr)
      fail(shape.opt_in->ensure(kernel, shape.shared.value));
    if (status_ == cudaSuccess) fail(cudaLaunchKernelExC(&config, kernel, arguments));
  }

  cudaStream_t stream_;
  cudaError_t status_ = cudaSuccess;
};

}  // namespace
}  // namespace kernelpro
