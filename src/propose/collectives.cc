// SPDX-License-Identifier: Apache-2.0
#include "propose/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kp::propose {
namespace {

constexpr std::array<std::string_view, 10> kShuffled{"float",
                                                     "double",
                                                     "int",
                                                     "unsigned",
                                                     "unsigned int",
                                                     "long long",
                                                     "unsigned long long",
                                                     "int32_t",
                                                     "uint32_t",
                                                     "unsigned long"};

constexpr std::string_view kHead = "static __device__ __forceinline__ ";

/// Integers that one instruction reduces.
bool reduces_at_once(std::string_view type) {
  return type == "int" || type == "unsigned" || type == "unsigned int" || type == "int32_t" ||
         type == "uint32_t";
}

std::string warp_body(Combine combine, std::string_view type) {
  if (reduces_at_once(type)) {
    return fmt::format("  return __reduce_{}_sync(0xffffffffu, value);\n", name_of(combine));
  }
  return fmt::format(
      "  for (int offset = 16; offset > 0; offset /= 2) {{\n"
      "    value = {};\n  }}\n  return value;\n",
      combined(combine, "value", "__shfl_xor_sync(0xffffffffu, value, offset)"));
}

/// What a lane without a partial value takes part with.
std::string partial_of_lane(Combine combine) {
  if (is_idempotent(combine)) return "partial[lane < warps ? lane : 0]";
  return "lane < warps ? partial[lane] : 0";
}

}  // namespace

bool can_shuffle(std::string_view type) {
  return std::find(kShuffled.begin(), kShuffled.end(), type) != kShuffled.end();
}

std::size_t place_before(const SourceTree& tree, const SyntaxNode& function) {
  SyntaxNode top = function;
  while (top.parent().valid() && !(top.parent() == tree.root())) top = top.parent();
  std::size_t place = top.begin();
  const auto parts = tree.root().children();
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->type() != "comment" || part->end() > place) continue;
    const std::string_view between =
        std::string_view(tree.source()).substr(part->end(), place - part->end());
    if (between != "\n" || !part->text().starts_with("//")) break;
    place = part->begin();
  }
  return place;
}

Collectives::Collectives(const SourceTree& tree, const SyntaxNode& kernel) : tree_(tree) {
  place_ = place_before(tree, kernel);
}

std::string Collectives::over_warp(Combine combine, std::string_view type, std::string_view value) {
  const std::string name = fmt::format("kp_warp_{}", name_of(combine));
  require(fmt::format("{} {}({} value)", type, name, type), warp_body(combine, type));
  return fmt::format("{}({})", name, value);
}

std::string Collectives::over_block(Combine combine, std::string_view type,
                                    std::string_view value) {
  const std::string name = fmt::format("kp_block_{}", name_of(combine));
  const std::string over_lanes = over_warp(combine, type, "value");
  require(fmt::format("{} {}({} value)", type, name, type),
          fmt::format("  __shared__ {0} partial[32];\n"
                      "  const unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32;\n"
                      "  value = {1};\n"
                      "  __syncthreads();  // an earlier call may still be reading\n"
                      "  if (lane == 0) partial[threadIdx.x / 32] = value;\n"
                      "  __syncthreads();\n"
                      "  value = {2};\n"
                      "  return {1};\n",
                      type, over_lanes, partial_of_lane(combine)));
  return fmt::format("{}({})", name, value);
}

std::string Collectives::scan_of_block(Combine combine, std::string_view type,
                                       std::string_view value) {
  const std::string name = fmt::format("kp_block_scan_{}", name_of(combine));
  const std::string over_lanes = over_warp(combine, type, "before");
  require(fmt::format("{} {}({} value)", type, name, type),
          fmt::format("  __shared__ {0} partial[32];\n"
                      "  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;\n"
                      "  for (unsigned distance = 1; distance < 32; distance *= 2) {{\n"
                      "    const {0} below = __shfl_up_sync(0xffffffffu, value, distance);\n"
                      "    if (lane >= distance) value = {1};\n  }}\n"
                      "  __syncthreads();  // an earlier call may still be reading\n"
                      "  if (lane == 31) partial[warp] = value;\n"
                      "  __syncthreads();\n"
                      "  const {0} before = {2};\n"
                      "  return {3};\n",
                      type, combined(combine, "value", "below"),
                      is_idempotent(combine) ? "partial[lane < warp ? lane : 0]"
                                             : "lane < warp ? partial[lane] : 0",
                      is_idempotent(combine) ? fmt::format("warp == 0 ? value : {}",
                                                           combined(combine, "value", over_lanes))
                                             : combined(combine, "value", over_lanes)));
  return fmt::format("{}({})", name, value);
}

void Collectives::require(const std::string& signature, const std::string& text) {
  const bool there =
      tree_.source().find(signature) != std::string::npos ||
      std::find(signatures_.begin(), signatures_.end(), signature) != signatures_.end();
  if (there) return;
  signatures_.push_back(signature);
  text_ += fmt::format("{}{} {{\n{}}}\n\n", kHead, signature, text);
}

void Collectives::insert_into(Edits& edits) const {
  if (!text_.empty()) edits.insert(place_, text_);
}

}  // namespace kp::propose
