// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/relocation.h"

#include <cstring>
#include <iterator>

#include "device/cuda/members.h"

namespace kp::device::cuda {
namespace {

std::uint64_t moved(std::uint64_t address, const Moves& moves) {
  const auto next = moves.upper_bound(address);
  if (next == moves.begin()) return address;
  const auto& [first, array] = *std::prev(next);
  const std::uint64_t offset = address - first;
  return offset < array.bytes ? array.to + offset : address;
}

void relocate_words(std::vector<std::uint8_t>& block, const Moves& moves) {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= block.size();
       at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, &block[at], sizeof word);
    word = moved(word, moves);
    std::memcpy(&block[at], &word, sizeof word);
  }
}

Result<void> relocate_member(nlohmann::json& map, const char* key, const Moves& moves) {
  KP_TRY(const auto address, number_member<std::uint64_t>(map, key));
  map[key] = moved(address, moves);
  return {};
}

Result<void> relocate_step(nlohmann::json& step, const Moves& moves) {
  if (find_member(step, "zero") != nullptr) return relocate_member(step, "zero", moves);
  KP_TRY(const auto block, bytes_member(step, "parameters"));
  static_cast<void>(block);
  relocate_words(step["parameters"].get_binary(), moves);
  KP_TRY(const nlohmann::json* list, list_member(step, "maps"));
  static_cast<void>(list);
  for (nlohmann::json& map : step["maps"]) KP_TRY_VOID(relocate_member(map, "address", moves));
  return {};
}

}  // namespace

Result<void> relocate(nlohmann::json& steps, const Moves& moves) {
  if (!steps.is_array()) return bad_member("steps", "a list");
  for (nlohmann::json& step : steps) KP_TRY_VOID(relocate_step(step, moves));
  return {};
}

}  // namespace kp::device::cuda
