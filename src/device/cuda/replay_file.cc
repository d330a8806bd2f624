// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/replay_file.h"

#include <algorithm>
#include <cstring>

#include "device/cuda/protocol.h"

namespace kp::device::cuda {
namespace {

using Json = nlohmann::json;

Json binary(std::span<const std::byte> bytes) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return Json::binary({first, first + bytes.size()});
}

bool names(const BoundStep& step, std::uint64_t address, std::uint64_t bytes) {
  const auto inside = [&](std::uint64_t place) { return place - address < bytes; };
  if (const auto* zero = std::get_if<BoundZero>(&step)) return inside(zero->address);
  const auto& launch = std::get<BoundLaunch>(step);
  if (std::ranges::any_of(launch.tensor_maps, inside, &BoundTensorMap::address)) return true;
  for (std::size_t at = 0; at + 8 <= launch.parameters.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, &launch.parameters[at], sizeof word);
    if (inside(word)) return true;
  }
  return false;
}

}  // namespace

std::uint64_t Replay::array_bytes() const {
  std::uint64_t bytes = 0;
  for (const ReplayedArray& array : arrays) bytes += array.bytes;
  return bytes;
}

Result<void> write_replay(const Path& file, const Replay& replay) {
  Json arrays = Json::array(), steps = Json::array();
  for (const ReplayedArray& array : replay.arrays) {
    Json& json = arrays.emplace_back(Json{{"address", array.address}, {"bytes", array.bytes}});
    if (array.contents) json["contents"] = binary(*array.contents);
  }
  for (const BoundStep& step : replay.steps) steps.push_back(to_json(step));
  const std::vector<std::uint8_t> bytes =
      Json::to_cbor({{"device", replay.gpu},
                     {"cubin", binary(std::as_bytes(std::span(replay.cubin)))},
                     {"arrays", std::move(arrays)},
                     {"steps", std::move(steps)}});
  return write_file(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

bool is_named(std::span<const BoundStep> steps, std::uint64_t address, std::uint64_t bytes) {
  return std::ranges::any_of(steps,
                             [&](const BoundStep& step) { return names(step, address, bytes); });
}

}  // namespace kp::device::cuda
