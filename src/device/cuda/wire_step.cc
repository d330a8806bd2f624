// SPDX-License-Identifier: Apache-2.0
// Steps as they travel (protocol.h).
#include <algorithm>

#include "device/cuda/members.h"
#include "device/cuda/protocol.h"

namespace kp::device::cuda {
namespace {

nlohmann::json to_json(const BoundTensorMap& map) {
  return {{"offset", map.offset},   {"address", map.address}, {"dtype", name_of(map.dtype)},
          {"extents", map.extents}, {"box", map.box},         {"swizzle", map.swizzle}};
}

nlohmann::json binary(std::span<const std::byte> bytes) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return nlohmann::json::binary({first, first + bytes.size()});
}

nlohmann::json to_json(const BoundLaunch& launch) {
  nlohmann::json maps = nlohmann::json::array();
  for (const BoundTensorMap& map : launch.tensor_maps) maps.push_back(to_json(map));
  const task::ResolvedLaunch& shape = launch.shape;
  return {{"kernel", launch.kernel},
          {"grid", shape.grid},
          {"block", shape.block},
          {"cluster", shape.cluster},
          {"cooperative", shape.launch != nullptr && shape.launch->cooperative},
          {"shared", shape.shared_bytes},
          {"parameters", binary(launch.parameters)},
          {"maps", std::move(maps)}};
}

Result<void> read_dimensions(const nlohmann::json& json, const char* key,
                             std::uint32_t (&dimensions)[3]) {
  KP_TRY(const std::vector<std::uint32_t> numbers, numbers_member<std::uint32_t>(json, key));
  if (numbers.size() != std::size(dimensions)) return bad_member(key, "three numbers");
  std::ranges::copy(numbers, dimensions);
  return {};
}

Result<BoundTensorMap> tensor_map_from(const nlohmann::json& json) {
  BoundTensorMap map;
  KP_TRY(map.offset, number_member<std::uint32_t>(json, "offset"));
  KP_TRY(map.address, number_member<std::uint64_t>(json, "address"));
  KP_TRY(map.extents, numbers_member<std::uint64_t>(json, "extents"));
  KP_TRY(map.box, numbers_member<std::uint32_t>(json, "box"));
  KP_TRY(map.swizzle, text_member(json, "swizzle"));
  KP_TRY(const std::string dtype, text_member(json, "dtype"));
  const auto known = dtype_from(dtype);
  if (!known) return bad_member("dtype", "an element type");
  map.dtype = *known;
  return map;
}

Result<std::vector<BoundTensorMap>> tensor_maps_from(const nlohmann::json& json) {
  KP_TRY(const nlohmann::json* list, list_member(json, "maps"));
  std::vector<BoundTensorMap> maps;
  for (const nlohmann::json& item : *list) {
    KP_TRY(BoundTensorMap map, tensor_map_from(item));
    maps.push_back(std::move(map));
  }
  return maps;
}

Result<WireLaunch> launch_from(const nlohmann::json& json) {
  WireLaunch launch;
  KP_TRY(launch.kernel, text_member(json, "kernel"));
  KP_TRY_VOID(read_dimensions(json, "grid", launch.grid));
  KP_TRY_VOID(read_dimensions(json, "block", launch.block));
  KP_TRY_VOID(read_dimensions(json, "cluster", launch.cluster));
  KP_TRY(launch.cooperative, flag_member(json, "cooperative"));
  KP_TRY(launch.shared_bytes, number_member<std::uint64_t>(json, "shared"));
  KP_TRY(const std::span<const std::byte> block, bytes_member(json, "parameters"));
  launch.parameters.assign(block.begin(), block.end());
  KP_TRY(launch.tensor_maps, tensor_maps_from(json));
  return launch;
}

}  // namespace

nlohmann::json to_json(const BoundStep& step) {
  if (const auto* launch = std::get_if<BoundLaunch>(&step)) return to_json(*launch);
  const auto& zero = std::get<BoundZero>(step);
  return {{"zero", zero.address}, {"bytes", zero.bytes}};
}

Result<WireStep> wire_step_from(const nlohmann::json& json) {
  if (find_member(json, "zero") == nullptr) return launch_from(json);
  BoundZero zero;
  KP_TRY(zero.address, number_member<std::uint64_t>(json, "zero"));
  KP_TRY(zero.bytes, number_member<std::uint64_t>(json, "bytes"));
  return zero;
}

}  // namespace kp::device::cuda
