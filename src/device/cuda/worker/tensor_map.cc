// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/tensor_map.h"

#include <array>
#include <cstring>
#include <optional>

namespace kp::device::cuda {
namespace {

constexpr std::size_t kMostDimensions = 5;   // of a CUtensorMap
constexpr std::uint32_t kMapAlignment = 64;  // bytes, PTX ISA

std::optional<CUtensorMapDataType> type_of(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    case DType::kF32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case DType::kF16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case DType::kBf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case DType::kI64:
      return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case DType::kI32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case DType::kU64:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
    case DType::kU32:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case DType::kI16:
    case DType::kU16:
      return CU_TENSOR_MAP_DATA_TYPE_UINT16;
    case DType::kI8:
    case DType::kU8:
    case DType::kBool:
    case DType::kF8E4M3:
    case DType::kF8E5M2:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
  return std::nullopt;
}

std::optional<CUtensorMapSwizzle> swizzle_of(std::string_view name) {
  if (name == "none") return CU_TENSOR_MAP_SWIZZLE_NONE;
  if (name == "32B") return CU_TENSOR_MAP_SWIZZLE_32B;
  if (name == "64B") return CU_TENSOR_MAP_SWIZZLE_64B;
  if (name == "128B") return CU_TENSOR_MAP_SWIZZLE_128B;
  return std::nullopt;
}

bool well_formed(const BoundTensorMap& map, std::span<std::byte> block) {
  const std::size_t rank = map.extents.size();
  return rank >= 1 && rank <= kMostDimensions && map.box.size() == rank &&
         map.offset % kMapAlignment == 0 && block.size() >= sizeof(CUtensorMap) &&
         map.offset <= block.size() - sizeof(CUtensorMap);
}

}  // namespace

Faulty<void> encode(const Driver& driver, const BoundTensorMap& map, std::span<std::byte> block) {
  const auto type = type_of(map.dtype);
  const auto swizzle = swizzle_of(map.swizzle);
  if (!type || !swizzle || !well_formed(map, block))
    return refusal(CUDA_ERROR_INVALID_VALUE, "a tensor map that cannot be");
  std::array<cuuint64_t, kMostDimensions> strides{};  // bytes, of all dimensions but the innermost
  std::array<cuuint32_t, kMostDimensions> steps;
  steps.fill(1);
  std::uint64_t stride = size_of(map.dtype);
  for (std::size_t i = 0; i < map.extents.size(); ++i) strides[i] = stride *= map.extents[i];
  CUtensorMap encoded;
  KP_CALL(driver, cuTensorMapEncodeTiled, &encoded, *type,
          static_cast<cuuint32_t>(map.extents.size()), reinterpret_cast<void*>(map.address),
          map.extents.data(), strides.data(), map.box.data(), steps.data(),
          CU_TENSOR_MAP_INTERLEAVE_NONE, *swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  std::memcpy(block.data() + map.offset, &encoded, sizeof encoded);
  return {};
}

}  // namespace kp::device::cuda
