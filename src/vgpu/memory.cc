// SPDX-License-Identifier: Apache-2.0
#include "vgpu/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>

#include "base/check.h"
#include "base/text.h"
#include "vgpu/bits.h"

namespace kp::vgpu {
namespace {

constexpr std::uint64_t kGap = 4096;     // bytes; unmapped on both sides of every allocation
constexpr std::uint64_t kAlign = 256;    // bytes, as cudaMalloc promises
constexpr std::uint64_t kHostShare = 2;  // of the free memory: the judge needs some of its own

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

/// The number in a file of one line; absent for "max".
std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// What the group of processes that this one belongs to may still take.
std::uint64_t available_in_group() {
  constexpr std::pair<const char*, const char*> kFiles[] = {
      {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
       "/sys/fs/cgroup/memory/memory.usage_in_bytes"}};
  for (const auto& [limit_file, usage_file] : kFiles) {
    const auto limit = number_in(limit_file), usage = number_in(usage_file);
    if (limit && usage) return *limit - std::min(*limit, *usage);
  }
  return kUnknown;
}

/// What the host can still give, in bytes; where nothing says so there is no second limit.
std::uint64_t available_host_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  for (std::uint64_t kib = 0; file >> word;)
    if (word == "MemAvailable:" && file >> kib) return std::min(kib << 10, available_in_group());
  return available_in_group();
}

}  // namespace

struct Memory::State {
  std::uint64_t limit = 0;
  std::uint64_t host_limit = 0;  // as it was when nothing was in use
  std::uint64_t used = 0;
  std::uint64_t next = kGlobalWindow + kGap;
  bool shadows = false;
  std::vector<std::unique_ptr<Allocation>> allocations;  // by address

  /// The last allocation that starts at or below `address`.
  Allocation* below(std::uint64_t address) const {
    auto after = std::upper_bound(
        allocations.begin(), allocations.end(), address,
        [](std::uint64_t value, const auto& each) { return value < each->address; });
    return after == allocations.begin() ? nullptr : std::prev(after)->get();
  }
};

Memory::Memory(std::uint64_t limit_bytes) : state_(std::make_unique<State>()) {
  state_->limit = limit_bytes;
}

Memory::~Memory() {
  for (auto& each : state_->allocations) ::munmap(each->host, each->bytes);
}

Result<std::uint64_t> Memory::allocate(std::uint64_t bytes, std::string name) {
  State& state = *state_;
  const std::uint64_t size = std::max<std::uint64_t>(bytes, 1);
  // Pages are taken when they are written: what is free now says nothing of what was promised.
  if (state.used == 0) state.host_limit = available_host_bytes() / kHostShare;
  const std::uint64_t limit = std::min(state.limit, state.host_limit);
  const std::uint64_t left = limit - std::min(limit, state.used);
  if (size > left)
    return fail(
        ErrorCode::kLimit,
        fmt::format("{} needs {}, and the virtual GPU has {} left{}", name,
                    format_bytes(double(size)), format_bytes(double(left)),
                    state.host_limit < state.limit ? " in half of this machine's memory" : ""),
        "use a smaller workload, or a machine with more memory");
  void* host = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (host == MAP_FAILED)
    return fail(
        ErrorCode::kLimit,
        fmt::format("the operating system refuses {} for {}", format_bytes(double(size)), name),
        "use a smaller workload, or raise the limit on address space (ulimit -v)");
  auto made = std::make_unique<Allocation>();
  made->address = state.next;
  made->bytes = size;
  made->host = static_cast<std::byte*>(host);
  made->name = std::move(name);
  if (state.shadows) made->defined.assign((size + 63) / 64, 0);
  state.next = round_up(state.next + size + kGap, kAlign);
  state.used += size;
  state.allocations.push_back(std::move(made));
  return state.allocations.back()->address;
}

void Memory::release(std::uint64_t address) {
  Allocation* found = state_->below(address);
  KP_CHECK(found != nullptr && found->address == address, "release of what was not allocated");
  ::munmap(found->host, found->bytes);
  state_->used -= found->bytes;
  std::erase_if(state_->allocations, [&](const auto& each) { return each.get() == found; });
}

void Memory::write(std::uint64_t address, std::span<const std::byte> bytes) {
  poison(address, bytes);
  Allocation* at = find(address, bytes.size());
  if (at != nullptr && !at->defined.empty())
    set_bits(at->defined, address - at->address, bytes.size(), true);
}

void Memory::poison(std::uint64_t address, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  Allocation* at = find(address, bytes.size());
  KP_CHECK(at != nullptr, "host write outside of an allocation");
  std::memcpy(at->host + (address - at->address), bytes.data(), bytes.size());
  if (!at->defined.empty()) set_bits(at->defined, address - at->address, bytes.size(), false);
}

void Memory::read(std::uint64_t address, std::span<std::byte> bytes) const {
  if (bytes.empty()) return;
  const Allocation* at = state_->below(address);
  KP_CHECK(at != nullptr && bytes.size() <= at->bytes &&
               address - at->address <= at->bytes - bytes.size(),
           "host read outside of an allocation");
  std::memcpy(bytes.data(), at->host + (address - at->address), bytes.size());
}

Allocation* Memory::find(std::uint64_t address, std::uint64_t bytes) {
  Allocation* at = state_->below(address);
  const bool inside =
      at != nullptr && bytes <= at->bytes && address - at->address <= at->bytes - bytes;
  return inside ? at : nullptr;
}

const Allocation* Memory::nearest(std::uint64_t address) const { return state_->below(address); }

const Allocation* Memory::first_above(std::uint64_t address) const {
  for (const auto& each : state_->allocations)
    if (each->address > address) return each.get();
  return nullptr;
}

std::optional<std::uint64_t> Memory::first_undefined(std::uint64_t address, std::uint64_t bytes) {
  const Allocation* at = find(address, bytes);
  KP_CHECK(at != nullptr, "question about bytes outside of an allocation");
  if (at->defined.empty()) return {};
  const std::uint64_t from = address - at->address;
  for (std::uint64_t i = from; i < from + bytes;) {
    if (i % 64 == 0 && at->defined[i / 64] == ~std::uint64_t{0}) {
      i += 64;
      continue;
    }
    if ((at->defined[i / 64] >> (i % 64) & 1) == 0) return at->address + i;
    ++i;
  }
  return {};
}

void Memory::set_shadows(bool on) {
  state_->shadows = on;
  for (auto& each : state_->allocations) {
    if (!on) each->defined.clear();
    if (on && each->defined.empty())
      each->defined.assign((each->bytes + 63) / 64, ~std::uint64_t{0});
  }
}

bool Memory::shadows() const { return state_->shadows; }

std::uint64_t Memory::used() const { return state_->used; }

}  // namespace kp::vgpu
