// SPDX-License-Identifier: Apache-2.0
#include "vgpu/counters.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "vgpu/footprint.h"
#include "vgpu/l1_traffic.h"
#include "vgpu/memory.h"
#include "vgpu/miss_log.h"
#include "vgpu/occupancy.h"

namespace kp::vgpu {
namespace {

/// Blocks that an SM holds at a time, and the L1 that their shared memory leaves.
struct Share {
  unsigned blocks = 1;
  std::uint64_t l1_bytes = 0;
};
Share share_of(const Program& program, const DeviceSpec& spec, std::uint64_t shared_per_block,
               unsigned threads) {
  const Occupancy resident = occupancy(
      spec, {.threads = threads, .registers = program.registers, .shared_bytes = shared_per_block});
  const auto blocks = static_cast<unsigned>(std::max(resident.blocks_per_sm, 1));
  const std::uint64_t in_use =
      shared_per_block == 0
          ? 0
          : blocks * (shared_per_block + static_cast<std::uint64_t>(spec.shared_reserved));
  const auto all = static_cast<std::uint64_t>(spec.l1_bytes);
  return {blocks, all - std::min(all, in_use)};
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
  small_lines += other.small_lines;
  words += other.words;
  return *this;
}

SmCounters::SmCounters(const Program& program, const DeviceSpec& spec,
                       std::uint64_t shared_per_block, unsigned threads)
    : program_(&program),
      instructions_(program.code.size()),
      accesses_(program.accesses.size()),
      fragment_calls_(program.accesses.size(), 0) {
  const Share share = share_of(program, spec, shared_per_block, threads);
  l1_ = std::make_unique<L1Traffic>(share.l1_bytes, program.accesses.size(), share.blocks);
}
SmCounters::~SmCounters() = default;
SmCounters::SmCounters(SmCounters&&) noexcept = default;

// The executor asks for one element after the other; the real machine loads and stores a fragment
// in four requests.
bool SmCounters::joins_fragment(std::uint32_t access) {
  constexpr unsigned kRequests = 4;
  const Access& matrix = program_->accesses[access];
  if (matrix.fragment == kNone) return false;
  const unsigned elements = program_->fragments[matrix.fragment].elements;
  const unsigned group = std::max(1u, elements / kRequests);
  return fragment_calls_[access]++ % group != 0;
}

void SmCounters::global(std::uint32_t pc, std::span<const std::uint64_t, kLanes> addresses,
                        std::uint32_t active, unsigned lane_bytes, unsigned warp) {
  if (active == 0) return;
  const std::uint32_t index = program_->code[pc].extra;
  const Access& access = program_->accesses[index];
  AccessCount& count = accesses_[index];
  if (access.space == ptx::Space::kConst) {
    ++count.requests;
    count.words += address_sharing(addresses, active).addresses;
    return;
  }
  if (joins_fragment(index)) return;
  if (access.aggregated) active &= ~active + 1;  // one lane goes for all
  const bool local = is_local(access, addresses[static_cast<unsigned>(std::countr_zero(active))]);
  const std::uint64_t place = l1_->slot() * std::uint64_t{warps_in_block_} + warp;
  const Footprint print =
      local ? local_footprint(addresses, active, lane_bytes, place * program_->local_bytes * kLanes)
            : Footprint(addresses, active, lane_bytes);
  ++count.requests;
  count.sectors += print.sectors();
  count.lines += print.lines().size();
  count.bytes += print.bytes();
  count.ideal += (print.bytes() + kSectorBytes - 1) / kSectorBytes;
  count.lane_bytes += std::uint64_t{static_cast<unsigned>(std::popcount(active))} * lane_bytes;
  count.unit_stride += print.unit_stride() ? 1 : 0;
  if (program_->code[pc].kind == Kind::kAtomic) {
    const AtomicTurns turns(addresses, active, print);
    count.same_address += turns.sharing().company;
    l1_->atomic(index, warp, turns.sectors(),
                access.returns ? Traffic::kAtomic : Traffic::kReduction);
  } else if (is_store(program_->code[pc])) {
    count.small_lines += print.small_lines();
    l1_->store(index, warp, print);
  } else {
    l1_->load(index, warp, print, access.bypass_l1);
  }
}

void SmCounters::shared(std::uint32_t pc, std::span<const std::uint32_t, kLanes> offsets,
                        std::uint32_t active, unsigned lane_bytes) {
  if (active == 0) return;
  const Instruction& instruction = program_->code[pc];
  AccessCount& count = accesses_[instruction.extra];
  const Access& access = program_->accesses[instruction.extra];
  if (access.machine_bytes == 0) return;  // part of its neighbour
  if (access.machine_bytes != Access::kAlone) lane_bytes = access.machine_bytes;
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
  warps_in_block_ = warps;
  l1_->begin_block(warps);
  warps_ += warps;
}

GridCounters::GridCounters(const Program& program, const DeviceSpec& spec,
                           std::vector<SmCounters> sms, std::uint64_t blocks_in_grid)
    : program_(&program), instructions_(program.code.size()), accesses_(program.accesses.size()) {
  for (SmCounters& sm : sms) {
    sm.l1_->finish();
    add(sm);
  }
  find_fetched(instructions_);
  if (blocks > 0) scale_ = static_cast<double>(blocks_in_grid) / static_cast<double>(blocks);
  extrapolate(sms, spec.l2_bytes);
}

void GridCounters::find_fetched(std::vector<InstructionCount>& counts) const {
  for (std::size_t pc = 0; pc < counts.size(); ++pc) {
    const std::uint32_t branch = program_->code[pc].issues_like;
    const std::uint64_t likewise = branch < counts.size() ? counts[branch].issued : 0;
    counts[pc].fetched = std::max(counts[pc].issued, likewise);
  }
}

void GridCounters::add(SmCounters& sm) {
  std::uint64_t issues = 0;
  find_fetched(sm.instructions_);
  for (std::size_t pc = 0; pc < instructions_.size(); ++pc) {
    const InstructionCount& count = sm.instructions_[pc];
    instructions_[pc].issued += count.issued;
    instructions_[pc].lanes += count.lanes;
    instructions_[pc].lanes_all += count.lanes_all;
    issues += count.fetched * program_->code[pc].sass;
  }
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    sm.accesses_[i].hits = sm.l1_->hits(i);
    accesses_[i] += sm.accesses_[i];
  }
  blocks += sm.blocks_;
  warps += sm.warps_;
  busiest_sm_issues = std::max(busiest_sm_issues, issues);
  const L1Sums& l1 = sm.l1_->sums();
  l1_sectors += l1.load_sectors;
  l1_hits += l1.load_hits;
  l1_store_sectors += l1.store_sectors;
  l1_store_hits += l1.store_hits;
  const MissLog& log = sm.l1_->log();
  const std::uint64_t reads = log.sectors(Traffic::kRead), writes = log.sectors(Traffic::kWrite);
  l2_write_sectors += writes;
  l2_read_lines += log.read_lines();
  atom_sectors += log.sectors(Traffic::kAtomic);
  red_sectors += log.sectors(Traffic::kReduction);
  atomic_turns = atom_sectors + red_sectors;
  l2_sectors += reads + writes + log.sectors(Traffic::kAtomic) + log.sectors(Traffic::kReduction);
}

void GridCounters::extrapolate(const std::vector<SmCounters>& sms, std::int64_t l2_bytes) {
  std::vector<const MissLog*> logs;
  for (const SmCounters& sm : sms) logs.push_back(&sm.l1_->log());
  const L2Replay replayed = replay(logs, static_cast<std::uint64_t>(l2_bytes));
  if (replayed.turns > 0) {
    // A log that was full has not seen all turns.
    hottest_turns = replayed.hottest_turns * atomic_turns / replayed.turns;
    hottest_sector_turns = replayed.hottest_sector_turns * atomic_turns / replayed.turns;
    atomic_hotness = static_cast<double>(replayed.hottest_sector_turns) *
                     static_cast<double>(replayed.atomic_sectors) /
                     static_cast<double>(replayed.turns);
  }
  const double missing =
      static_cast<double>(l2_sectors) * scale_ - static_cast<double>(replayed.all.sectors);
  const L2Traffic& steady = replayed.late.sectors > 0 ? replayed.late : replayed.all;
  const auto grid = [&](std::uint64_t L2Traffic::*sum) {
    return static_cast<double>(replayed.all.*sum) +
           std::max(missing, 0.0) * static_cast<double>(steady.*sum) /
               static_cast<double>(std::max<std::uint64_t>(steady.sectors, 1));
  };
  l2_hits = grid(&L2Traffic::hits);
  l2_merged_sectors = grid(&L2Traffic::merged);
  dram_read_bytes = kSectorBytes * grid(&L2Traffic::fills);
  dram_write_bytes = kSectorBytes * grid(&L2Traffic::write_backs);
  dram_evicted_bytes = kSectorBytes * grid(&L2Traffic::evicted);
  if (missing > 0) {
    // A sample may fit the L2 where the grid does not. Of what is dirty no more can stay than the
    // share that writes have of the lines.
    const double lines = dram_write_bytes + dram_read_bytes;
    const double stays = lines > 0 ? static_cast<double>(l2_bytes) * dram_write_bytes / lines : 0;
    dram_evicted_bytes = std::max(dram_evicted_bytes, dram_write_bytes - stays);
  }
  scattered_read_bytes = kSectorBytes * grid(&L2Traffic::scattered_fills);
  scattered_write_bytes = kSectorBytes * grid(&L2Traffic::scattered_writes);
}

}  // namespace kp::vgpu
