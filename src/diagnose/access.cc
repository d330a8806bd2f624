// SPDX-License-Identifier: Apache-2.0
#include "diagnose/access.h"

#include <algorithm>
#include <array>

#include "diagnose/blocks.h"
#include "diagnose/warp.h"

namespace kp::diagnose {
namespace {

constexpr double kOneMore = 1.01;  // sector of a request that starts inside of one
constexpr double kFull = 0.9;      // of the bytes of a whole warp; fewer: some broadcast
constexpr double kWidest = 16;     // bytes a lane
constexpr double kAligned = 0.97;  // of a sector's bytes are used, on average

constexpr std::array<AccessKeys, 2> kKeys{
    AccessKeys{"loads", metric::kGlobalLoadInst, metric::kGlobalLoadRequests,
               metric::kGlobalLoadSectors, metric::kLoadBytesPerSector, metric::kLoadWidth,
               metric::kLoadUnitStride, metric::kSassLoadWidth},
    AccessKeys{"stores", metric::kGlobalStoreInst, metric::kGlobalStoreRequests,
               metric::kGlobalStoreSectors, metric::kStoreBytesPerSector, metric::kStoreWidth,
               metric::kStoreUnitStride, metric::kSassStoreWidth}};

/// Sectors and useful bytes of one request; absent when one of the counters is.
struct Request {
  double sectors = 0, bytes = 0;
};
std::optional<Request> request_of(const Evidence& e, Direction direction) {
  const AccessKeys& keys = keys_of(direction);
  const std::optional<double> requests = e.get(keys.requests), sectors = e.get(keys.sectors);
  const std::optional<double> useful = useful_bytes(e, direction);
  if (!requests || !sectors || !useful || *requests <= 0) return std::nullopt;
  return Request{*sectors / *requests, *sectors * *useful / *requests};
}

}  // namespace

const AccessKeys& keys_of(Direction direction) {
  return kKeys[static_cast<std::size_t>(direction)];
}

std::optional<double> useful_bytes(const Evidence& e, Direction direction) {
  const std::optional<double> useful = e.get(keys_of(direction).bytes_per_sector);
  return useful && *useful > 0 ? useful : std::nullopt;
}

std::optional<double> width_of(const Evidence& e, Direction direction) {
  const AccessKeys& keys = keys_of(direction);
  if (const std::optional<double> counted = e.get(keys.width)) return counted;
  if (const std::optional<double> code = e.get(keys.code_width); code && *code > 0) return code;
  const std::optional<Request> request = request_of(e, direction);
  if (!request) return std::nullopt;
  return std::clamp(request->bytes / kLanesPerWarp, 0.0, kWidest);
}

std::optional<double> unit_stride_of(const Evidence& e, Direction direction) {
  if (const auto counted = e.get(keys_of(direction).unit_stride)) return counted;
  const std::optional<Request> request = request_of(e, direction);
  const std::optional<double> width = width_of(e, direction);
  if (!request || !width || *width <= 0) return std::nullopt;
  const double whole = *width * kLanesPerWarp;
  const double fewest = std::max(1.0, whole / kSectorBytes);
  const double present = std::min(1.0, request->bytes / (kFull * whole));
  if (request->sectors <= fewest + kOneMore) return 100 * present;
  const double spread =
      std::clamp((kLanesPerWarp - request->sectors) / (kLanesPerWarp - fewest), 0.0, 1.0);
  return 100 * present * spread * std::min(1.0, request->bytes / (request->sectors * kSectorBytes));
}

bool straddles_sectors(const Evidence& e) {
  const std::optional<double> useful = useful_bytes(e, Direction::kLoad);
  const bool packed = useful && *useful >= kPackedBytes && *useful < kAligned * kSectorBytes;
  return packed && unit_stride_of(e, Direction::kLoad).value_or(0) >= kSideBySide;
}

double loads_per_thread(const Evidence& e) {
  const double warps = warps_of(e).value_or(0);
  return warps > 0 ? e.or_zero(metric::kGlobalLoadInst) / warps : 0;
}

double wavefronts_of(double requests, double sectors) {
  return std::max(requests, sectors / kSectorsPerWavefront);
}

double global_wavefronts(const Evidence& e, Direction direction) {
  const AccessKeys& keys = keys_of(direction);
  return wavefronts_of(e.or_zero(keys.requests), e.or_zero(keys.sectors));
}

}  // namespace kp::diagnose
