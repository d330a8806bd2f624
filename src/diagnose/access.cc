// SPDX-License-Identifier: Apache-2.0
#include "diagnose/access.h"

#include <algorithm>
#include <array>

namespace kp::diagnose {
namespace {

constexpr double kLanes = 32;
constexpr double kSector = 32;              // bytes
constexpr double kSectorsPerWavefront = 4;  // 128 bytes per clock and SM
constexpr double kOneMore = 1.01;           // sector of a request that starts inside of one
constexpr double kFull = 0.9;               // of the bytes of a whole warp; fewer: some broadcast
constexpr double kWidest = 16;              // bytes a lane

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
  return std::clamp(request->bytes / kLanes, 0.0, kWidest);
}

std::optional<double> unit_stride_of(const Evidence& e, Direction direction) {
  if (const auto counted = e.get(keys_of(direction).unit_stride)) return counted;
  const std::optional<Request> request = request_of(e, direction);
  const std::optional<double> width = width_of(e, direction);
  if (!request || !width || *width <= 0) return std::nullopt;
  const double whole = *width * kLanes;
  const double fewest = std::max(1.0, whole / kSector);
  const double present = std::min(1.0, request->bytes / (kFull * whole));
  if (request->sectors <= fewest + kOneMore) return 100 * present;
  const double spread = std::clamp((kLanes - request->sectors) / (kLanes - fewest), 0.0, 1.0);
  return 100 * present * spread * std::min(1.0, request->bytes / (request->sectors * kSector));
}

double wavefronts_of(double requests, double sectors) {
  return std::max(requests, sectors / kSectorsPerWavefront);
}

}  // namespace kp::diagnose
