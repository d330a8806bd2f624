// SPDX-License-Identifier: Apache-2.0
#include "vgpu/counters.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "vgpu/footprint.h"
#include "vgpu/memory.h"
#include "vgpu/miss_log.h"
#include "vgpu/occupancy.h"

namespace kp::vgpu {
namespace {

/// Registers are not known here; with so few they never decide.
constexpr unsigned kFewRegisters = 16;

std::uint64_t l1_bytes(const DeviceSpec& spec, std::uint64_t shared_per_block, unsigned threads) {
  if (shared_per_block == 0) return static_cast<std::uint64_t>(spec.l1_bytes);
  const Occupancy resident = occupancy(
      spec, {.threads = threads, .registers = kFewRegisters, .shared_bytes = shared_per_block});
  const auto blocks = static_cast<std::uint64_t>(std::max(resident.blocks_per_sm, 1));
  const std::uint64_t in_use =
      blocks * (shared_per_block + static_cast<std::uint64_t>(spec.shared_reserved));
  const auto all = static_cast<std::uint64_t>(spec.l1_bytes);
  return all - std::min(all, in_use);
}

bool is_local(const Access& access, std::uint64_t address) {
  return access.space == ptx::Space::kLocal ||
         (address >= kLocalWindow && address < kLocalWindow + kWindowBytes);
}

/// Local memory of a thread as it lies in device memory: the windows' start plus interleaved words.
Footprint local_footprint(std::span<const std::uint64_t, kLanes> addresses, std::uint32_t active,
                          unsigned lane_bytes, std::uint64_t warp_start) {
  std::array<std::uint64_t, kLanes> offsets;
  for (unsigned lane = 0; lane < kLanes; ++lane) offsets[lane] = addresses[lane] % kWindowBytes;
  return Footprint::local(offsets, active, lane_bytes, kLocalWindow + warp_start);
}

bool is_store(const Instruction& instruction) {
  return instruction.kind == Kind::kStore || instruction.kind == Kind::kMatrixStore;
}

}  // namespace

AccessCount& AccessCount::operator+=(const AccessCount& other) {
  requests += other.requests;
  sectors += other.sectors;
  lines += other.lines;
  ideal += other.ideal;
  bytes += other.bytes;
  lane_bytes += other.lane_bytes;
  unit_stride += other.unit_stride;
  wavefronts += other.wavefronts;
  conflicts += other.conflicts;
  hits += other.hits;
  same_address += other.same_address;
  return *this;
}

struct SmCounters::Caches {
  explicit Caches(std::uint64_t l1_bytes) : l1(l1_bytes) {}

  void load(const Footprint& print, bool bypass_l1, AccessCount& count) {
    for (const TouchedLine& touched : print.lines()) {
      const SectorMask wanted = touched.sectors();
      const SectorMask present = bypass_l1 ? 0 : l1.read(touched.line, wanted);
      const auto hits = static_cast<unsigned>(std::popcount(present));
      count.hits += hits;
      l1_hits += hits;
      if (present != wanted) log.read(touched.line, wanted & ~present);
    }
    l1_sectors += print.sectors();
  }
  // Stores go through to the L2 and allocate nothing; a line that is there is updated, so it stays.
  void store(const Footprint& print) {
    for (const TouchedLine& touched : print.lines()) log.write(touched.line, touched.sectors());
  }
  // The L2 executes atomics; a copy in the L1 is stale from then on.
  // Lanes that share an address take turns there; `lane_bytes` over distinct bytes tells how many
  // turns.
  void atomic(const Footprint& print, bool returns, std::uint64_t lane_bytes) {
    const auto traffic = returns ? Traffic::kAtomic : Traffic::kReduction;
    const auto turns = static_cast<unsigned>(lane_bytes / std::max(print.bytes(), 1u));
    for (const TouchedLine& touched : print.lines()) {
      l1.invalidate(touched.line, touched.sectors());
      log.atomic(touched.line, touched.sectors(), traffic, std::max(1u, turns));
    }
  }

  SectoredCache l1;
  MissLog log;
  std::uint64_t l1_sectors = 0, l1_hits = 0;
};

SmCounters::SmCounters(const Program& program, const DeviceSpec& spec,
                       std::uint64_t shared_per_block, unsigned threads)
    : program_(&program),
      instructions_(program.code.size()),
      accesses_(program.accesses.size()),
      caches_(std::make_unique<Caches>(l1_bytes(spec, shared_per_block, threads))) {}
SmCounters::~SmCounters() = default;
SmCounters::SmCounters(SmCounters&&) noexcept = default;

void SmCounters::global(std::uint32_t pc, std::span<const std::uint64_t, kLanes> addresses,
                        std::uint32_t active, unsigned lane_bytes, unsigned warp) {
  if (active == 0) return;
  const Instruction& instruction = program_->code[pc];
  const Access& access = program_->accesses[instruction.extra];
  AccessCount& count = accesses_[instruction.extra];
  const auto lanes = static_cast<unsigned>(std::popcount(active));
  const bool local = is_local(access, addresses[static_cast<unsigned>(std::countr_zero(active))]);
  const Footprint print =
      local ? local_footprint(addresses, active, lane_bytes, warp * program_->local_bytes * kLanes)
            : Footprint(addresses, active, lane_bytes);
  ++count.requests;
  count.sectors += print.sectors();
  count.lines += print.lines().size();
  count.bytes += print.bytes();
  count.ideal += (print.bytes() + kSectorBytes - 1) / kSectorBytes;
  count.lane_bytes += std::uint64_t{lanes} * lane_bytes;
  count.unit_stride += print.unit_stride() ? 1 : 0;
  if (instruction.kind == Kind::kAtomic) {
    count.same_address += address_sharing(addresses, active).company;
    caches_->atomic(print, access.returns, std::uint64_t{lanes} * lane_bytes);
  } else if (is_store(instruction)) {
    caches_->store(print);
  } else {
    caches_->load(print, access.bypass_l1, count);
  }
}

void SmCounters::shared(std::uint32_t pc, std::span<const std::uint32_t, kLanes> offsets,
                        std::uint32_t active, unsigned lane_bytes) {
  if (active == 0) return;
  const Instruction& instruction = program_->code[pc];
  AccessCount& count = accesses_[instruction.extra];
  const bool atomic = instruction.kind == Kind::kAtomic;
  const BankUse use = bank_use(offsets, active, lane_bytes, atomic);
  count.wavefronts += use.wavefronts;
  count.conflicts += use.wavefronts - use.fewest;
  // The global half of an asynchronous copy has counted the request and its bytes.
  if (instruction.kind == Kind::kCopyAsync) return;
  ++count.requests;
  count.lane_bytes += std::uint64_t{static_cast<unsigned>(std::popcount(active))} * lane_bytes;
  if (!atomic) return;
  std::array<std::uint64_t, kLanes> addresses;
  std::copy(offsets.begin(), offsets.end(), addresses.begin());
  const AddressSharing sharing = address_sharing(addresses, active);
  count.bytes += std::uint64_t{sharing.addresses} * lane_bytes;
  count.same_address += sharing.company;
}

void SmCounters::block_begin(unsigned warps) {
  ++blocks_;
  caches_->log.begin_block();
  warps_ += warps;
}

GridCounters::GridCounters(const Program& program, const DeviceSpec& spec,
                           std::vector<SmCounters> sms, std::uint64_t blocks_in_grid)
    : program_(&program), instructions_(program.code.size()), accesses_(program.accesses.size()) {
  for (const SmCounters& sm : sms) add(sm);
  if (blocks > 0) scale_ = static_cast<double>(blocks_in_grid) / static_cast<double>(blocks);
  extrapolate(sms, spec.l2_bytes);
}

void GridCounters::add(const SmCounters& sm) {
  std::uint64_t issues = 0;
  for (std::size_t pc = 0; pc < instructions_.size(); ++pc) {
    const InstructionCount& count = sm.instructions_[pc];
    instructions_[pc].issued += count.issued;
    instructions_[pc].lanes += count.lanes;
    instructions_[pc].lanes_all += count.lanes_all;
    issues += count.issued * program_->code[pc].sass;
  }
  for (std::size_t i = 0; i < accesses_.size(); ++i) accesses_[i] += sm.accesses_[i];
  blocks += sm.blocks_;
  warps += sm.warps_;
  busiest_sm_issues = std::max(busiest_sm_issues, issues);
  l1_sectors += sm.caches_->l1_sectors;
  l1_hits += sm.caches_->l1_hits;
  const MissLog& log = sm.caches_->log;
  l2_write_sectors += log.sectors(Traffic::kWrite);
  atom_sectors += log.sectors(Traffic::kAtomic);
  red_sectors += log.sectors(Traffic::kReduction);
  atomic_turns += log.turns();
  for (const Traffic traffic :
       {Traffic::kRead, Traffic::kWrite, Traffic::kAtomic, Traffic::kReduction}) {
    l2_sectors += log.sectors(traffic);
  }
}

void GridCounters::extrapolate(const std::vector<SmCounters>& sms, std::int64_t l2_bytes) {
  std::vector<const MissLog*> logs;
  for (const SmCounters& sm : sms) logs.push_back(&sm.caches_->log);
  const L2Replay replayed = replay(logs, static_cast<std::uint64_t>(l2_bytes));
  if (replayed.turns > 0) {
    // A log that was full has not seen all turns.
    hottest_turns = replayed.hottest_turns * atomic_turns / replayed.turns;
    atomic_hotness = static_cast<double>(replayed.hottest_sector_turns) *
                     static_cast<double>(replayed.atomic_sectors) /
                     static_cast<double>(replayed.turns);
  }
  const double missing =
      static_cast<double>(l2_sectors) * scale_ - static_cast<double>(replayed.all.sectors);
  const double steady =
      static_cast<double>(std::max<std::uint64_t>(replayed.second_half.sectors, 1));
  const auto grid = [&](std::uint64_t all, std::uint64_t late) {
    return static_cast<double>(all) + std::max(missing, 0.0) * static_cast<double>(late) / steady;
  };
  l2_hits = grid(replayed.all.hits, replayed.second_half.hits);
  dram_read_bytes = kSectorBytes * grid(replayed.all.fills, replayed.second_half.fills);
  dram_write_bytes =
      kSectorBytes * grid(replayed.all.write_backs, replayed.second_half.write_backs);
}

}  // namespace kp::vgpu
