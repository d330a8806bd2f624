// SPDX-License-Identifier: Apache-2.0
// What the judge and kernelpro-gpu, the process that holds device code, say to each other over a
// Unix socket: one request, one answer, in turn, in frames (base/frame.h) with a body in CBOR.
//
// The judge distrusts every answer: a wrong nonce, a frame above kLargestFrame, a body that cannot
// be read, a missing member or silence beyond the deadline ends the process.
//
// A body is a map with the member "do" and what the verb takes:
//   open      device, kernels (cubin of worker/kernels.cu), confine ("full" | "landlock" |
//             "minimal"), (readable [folders beyond the system's])
//                                -> name, uuid, attributes {number: value}, memory, driver,
//                                confined (the same words, or "none": what was reached)
//   allocate  address, bytes     -> (descriptor of the physical memory)       trusted process only
//   map       address, bytes, (descriptor)
//   unmap     address            also gives memory of `allocate` back
//   load      cubin              -> module (number) | fault
//   unload    module
//   write     address, offset, bytes   from the staging memory, into the device
//   read      address, offset, bytes   the other way
//   run       module, steps, (disturb)  -> (nothing) | fault
//                                disturb: shared memory and local frames are overwritten first;
//                                any number but 0 chooses SMs that are taken meanwhile
//   series    contenders [{module, sets [[step]]}], laps [{contender, sets}], cold
//                                -> laps [[ns, sm_hz or null]], empty_ns | fault, guilty
//             the number of the lap at hand (u32) stands first in the staging memory
//   times     module, steps, runs -> steps [[ns]], empty_ns
//                                events around each step, cold, runs times
//   count     module, steps, metrics -> launches [{metrics {name: value}}], passes | fault
//   trace     module, steps      -> kernels [{name, grid, block, start, end}], event_ns | fault
//   probe                        -> bandwidth (byte/s of a copy), answer of a known kernel
// Every answer has "ok"; where it is false, "fault" tells what went wrong: {code (CUresult), name,
// phase, step (index, -1 unknown)} and the process ends itself after a sticky error. A request that
// cannot be carried out for a reason of our own has the nearest code and a sentence as its name.
#pragma once
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "base/frame.h"
#include "device/device.h"

namespace kp::device::cuda {

/// Shared memory for bytes that are written and read, descriptor 4 of the process; 3 is the socket.
inline constexpr std::uint64_t kStagingBytes = 64ull << 20;
inline constexpr int kSocketDescriptor = 3, kStagingDescriptor = 4;
/// Where the judge places arrays; each ends before a gap that nothing maps. Every process reserves
/// the whole range at `open`: asked later, the driver may have given a part of it away.
inline constexpr std::uint64_t kFirstAddress = 0x7000'0000'0000;
inline constexpr std::uint64_t kAddressBytes = 1ull << 40;
inline constexpr std::uint64_t kPageBytes = 2u << 20;  // granularity of device memory

struct Frame {
  nlohmann::json body;
  std::vector<Descriptor> descriptors;
};

/// kIo when the other side is gone.
Result<void> send_frame(int socket, std::uint64_t nonce, const nlohmann::json& body,
                        std::span<const int> descriptors = {});
/// kTimeout at the deadline; kIo when the other side is gone; kCorrupt for anything but a frame
/// with this nonce. A negative deadline waits for ever. `stop` ends the wait like the deadline.
Result<Frame> receive_frame(int socket, std::uint64_t nonce, std::chrono::milliseconds deadline,
                            const StopFlag* stop = nullptr);

/// {kernel, grid, block, cluster, cooperative, shared, parameters, maps} or {zero, bytes}.
nlohmann::json to_json(const BoundStep& step);
/// What the process needs of a step; kCorrupt names the member that is missing or of a wrong type.
struct WireLaunch {
  std::string kernel;
  std::uint32_t grid[3]{1, 1, 1}, block[3]{1, 1, 1}, cluster[3]{1, 1, 1};
  bool cooperative = false;
  std::uint64_t shared_bytes = 0;
  std::vector<std::byte> parameters;
  std::vector<BoundTensorMap> tensor_maps;
};
using WireStep = std::variant<WireLaunch, BoundZero>;
Result<WireStep> wire_step_from(const nlohmann::json& json);

}  // namespace kp::device::cuda
