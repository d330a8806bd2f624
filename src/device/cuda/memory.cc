// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/memory.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/text.h"

namespace kp::device::cuda {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kAlignment = 512;  // bytes, as cudaMalloc's
constexpr milliseconds kMapping{30'000};
constexpr milliseconds kCopying{60'000};  // kStagingBytes take about 10 ms

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

Request request_to(const char* verb, std::uint64_t address, milliseconds deadline) {
  return {.body = {{"do", verb}, {"address", address}}, .phase = verb, .deadline = deadline};
}

}  // namespace

/// First fit; arrays are few and large.
std::uint64_t Memory::free_base(std::uint64_t bytes) const {
  std::uint64_t base = kFirstAddress;
  for (const auto& [address, array] : arrays_) {
    if (base + bytes + kPageBytes <= array.base) break;
    base = array.base + array.bytes + kPageBytes;
  }
  return base;
}

std::uint64_t Memory::used_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [address, array] : arrays_) bytes += array.bytes;
  return bytes;
}

Result<std::uint64_t> Memory::allocate(std::uint64_t bytes, const std::string& name) {
  const auto no_room = [&] {
    return fail(ErrorCode::kLimit,
                fmt::format("no room for {}: it needs {}; the GPU has {}, of which {} are in use "
                            "here",
                            name, format_bytes(static_cast<double>(bytes)),
                            format_bytes(static_cast<double>(total_bytes_)),
                            format_bytes(static_cast<double>(used_bytes()))),
                "use smaller workloads, or end other programs that use the GPU");
  };
  if (bytes > total_bytes_) return no_room();
  Array array{.bytes = round_up(std::max<std::uint64_t>(bytes, 1), kPageBytes)};
  array.asked = bytes;
  array.base = free_base(array.bytes);
  Request request = request_to("allocate", array.base, kMapping);
  request.body["bytes"] = array.bytes;
  Reply reply = trusted_.ask(request);
  const auto* fault = std::get_if<Fault>(&reply);
  if (fault != nullptr && fault->code == kOutOfMemory) return no_room();
  if (fault != nullptr)
    return tl::unexpected<Error>(error_of(*fault, fmt::format("cannot allocate {}", name)));
  auto* frame = std::get_if<Frame>(&reply);
  if (frame == nullptr || frame->descriptors.size() != 1) {
    return fail(ErrorCode::kUnavailable,
                fmt::format("cannot allocate {}: the GPU's process gives no memory", name),
                "run kernelpro doctor");
  }
  array.descriptor = std::move(frame->descriptors.front());
  for (Worker* worker : attached_) KP_TRY_VOID(map(*worker, array));
  const std::uint64_t address =
      array.base + array.bytes - round_up(std::max<std::uint64_t>(bytes, 1), kAlignment);
  arrays_.emplace(address, std::move(array));
  return address;
}

/// A worker that has died needs no memory: its end is told to whoever asks it next.
Result<void> Memory::map(Worker& worker, const Array& array) const {
  Request request = request_to("map", array.base, kMapping);
  request.body["bytes"] = array.bytes;
  request.descriptors = {array.descriptor.number()};
  const Reply reply = worker.ask(request);
  const auto* fault = std::get_if<Fault>(&reply);
  if (fault == nullptr || !worker.alive()) return {};
  return tl::unexpected<Error>(error_of(*fault, "cannot share memory with the GPU's process"));
}

void Memory::release(std::uint64_t address) {
  const auto found = arrays_.find(address);
  if (found == arrays_.end()) return;
  const Request request = request_to("unmap", found->second.base, kMapping);
  for (Worker* worker : attached_) {
    if (worker->alive()) static_cast<void>(worker->ask(request));
  }
  static_cast<void>(trusted_.ask(request));
  arrays_.erase(found);
}

Result<void> Memory::attach(Worker& worker) {
  for (const auto& [address, array] : arrays_) KP_TRY_VOID(map(worker, array));
  attached_.push_back(&worker);
  return {};
}

void Memory::detach(Worker& worker) { std::erase(attached_, &worker); }

/// The one that `address` lies in, or the nearest below.
Memory::Array* Memory::array_with(std::uint64_t address) {
  const auto next = arrays_.upper_bound(address);
  return next == arrays_.begin() ? nullptr : &std::prev(next)->second;
}

Result<SharedArray> Memory::share(std::uint64_t address) {
  const Array* array = array_with(address);
  if (array == nullptr || address >= array->base + array->bytes)
    return fail(ErrorCode::kInvalidInput, fmt::format("no array lies at {:#x}", address));
  SharedArray shared{Descriptor(::fcntl(array->descriptor.number(), F_DUPFD_CLOEXEC, 0)),
                     array->bytes, address - array->base};
  if (shared.descriptor.open()) return shared;
  return fail(ErrorCode::kLimit,
              fmt::format("cannot share device memory: {}", std::strerror(errno)),
              "raise the limit on open files (ulimit -n)");
}

std::vector<Memory::Extent> Memory::extents() const {
  std::vector<Extent> all;
  for (const auto& [address, array] : arrays_) all.push_back({address, array.asked, array.written});
  return all;
}

void Memory::note_written(std::uint64_t address) {
  if (Array* array = array_with(address)) array->written = true;
}

Result<void> Memory::write(std::uint64_t address, std::span<const std::byte> bytes) {
  note_written(address);
  return transfer(address, bytes);
}

Result<void> Memory::poison(std::uint64_t address, std::span<const std::byte> bytes) {
  if (Array* array = array_with(address)) array->written = false;
  return transfer(address, bytes);
}

Result<void> Memory::transfer(std::uint64_t address, std::span<const std::byte> bytes) {
  KP_TRY(const std::span<std::byte> staging, trusted_.staging().bytes());
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), staging.size());
    std::memcpy(staging.data(), bytes.data(), count);
    Request request = request_to("write", address, kCopying);
    request.body["offset"] = 0;
    request.body["bytes"] = count;
    KP_TRY(const Frame done, trusted_.demand(request, "cannot write to the GPU"));
    bytes = bytes.subspan(count);
    address += count;
  }
  return {};
}

Result<void> Memory::read(std::uint64_t address, std::span<std::byte> bytes) {
  KP_TRY(const std::span<std::byte> staging, trusted_.staging().bytes());
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), staging.size());
    Request request = request_to("read", address, kCopying);
    request.body["offset"] = 0;
    request.body["bytes"] = count;
    KP_TRY(const Frame done, trusted_.demand(request, "cannot read from the GPU"));
    std::memcpy(bytes.data(), staging.data(), count);
    bytes = bytes.subspan(count);
    address += count;
  }
  return {};
}

}  // namespace kp::device::cuda
