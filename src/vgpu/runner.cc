// SPDX-License-Identifier: Apache-2.0
#include "vgpu/runner.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "base/parallel.h"
#include "vgpu/checks.h"
#include "vgpu/interpreter.h"
#include "vgpu/races.h"
#include "vgpu/schedule.h"

namespace kp::vgpu {
namespace {

/// Instructions after which a warp that is not waiting lets others run. Long enough to be cheap,
/// short enough that a warp which polls for another does not poll for long.
constexpr std::uint64_t kQuantum = 4096;

/// Whether a block may wait for another one, which must then not be left out.
bool may_poll(const Launch& launch) {
  const Program& program = launch.program;
  return launch.grid.cooperative || std::ranges::any_of(program.code, [&](const Instruction& in) {
           if (in.kind != Kind::kLoad) return false;
           const Access& access = program.accesses[in.extra];
           const bool may_be_global =
               access.space == ptx::Space::kGlobal || access.space == ptx::Space::kGeneric;
           return may_be_global && (access.acquire || access.is_volatile);
         });
}

/// What the host threads of one launch share.
struct Shared {
  std::atomic<std::uint64_t> instructions{0};
  std::atomic<std::uint64_t> first_fault{~std::uint64_t{0}};  // position
  std::atomic<bool> out_of_budget{false}, stopped{false};
};

template <Mode M>
class Runner {
 public:
  Runner(Launch& launch, const RunOptions& options)
      : launch_(launch),
        options_(options),
        blocks_(launch.blocks, options.schedule_seed, 0),
        warps_(launch.warps, options.schedule_seed, 1),
        sm_count_(std::uint64_t(std::max(launch.spec.sm_count, 1))),
        waves_(sample(launch.blocks, sm_count_,
                      M == Mode::kCount && !may_poll(launch) ? options.sample_blocks : 0)) {
    if constexpr (M == Mode::kCheck) races_ = std::make_unique<Races>();
    if constexpr (M == Mode::kCount)
      for (std::uint64_t sm = 0; sm < sm_count_; ++sm)
        counters_.emplace_back(launch.program, launch.spec, launch.shared_bytes, launch.threads);
  }

  RunOutcome run() {
    if (launch_.program.order_sensitive || launch_.grid.cooperative)
      interleave();
    else
      spread();
    RunOutcome outcome;
    outcome.out_of_budget = shared_.out_of_budget;
    outcome.stopped = shared_.stopped;
    outcome.instructions = shared_.instructions;
    outcome.fault = std::move(fault_);
    outcome.counters = std::move(counters_);
    return outcome;
  }

 private:
  /// A block on its way through the machine.
  struct Slot {
    Slot(const Launch& launch, std::uint64_t sm, Races* races, SmCounters* counters)
        : checks(races == nullptr ? nullptr : std::make_unique<Checks>(launch, *races)),
          block(launch, std::uint32_t(sm), 0, checks.get()),
          interpreter(block, counters) {}
    std::unique_ptr<Checks> checks;
    Block block;
    Interpreter<M> interpreter;
    std::uint64_t position = 0;
    bool busy = false;
  };

  std::unique_ptr<Slot> make_slot(std::uint64_t sm) {
    return std::make_unique<Slot>(launch_, sm, races_.get(),
                                  M == Mode::kCount ? &counters_[sm] : nullptr);
  }

  void begin(Slot& slot, std::uint64_t position) {
    slot.position = position;
    slot.busy = true;
    slot.block.begin(blocks_[position]);
    if constexpr (M == Mode::kCount) counters_[slot.block.sm].block_begin(launch_.warps);
  }

  bool ended() const {
    return shared_.out_of_budget.load(std::memory_order_relaxed) ||
           shared_.stopped.load(std::memory_order_relaxed);
  }

  /// One quantum for each warp of the block.
  void turn(Slot& slot) {
    std::uint64_t used = 0;
    for (unsigned w = 0; w < launch_.warps && !slot.block.fault; ++w) {
      std::uint64_t fuel = kQuantum;
      slot.interpreter.run(slot.block.warps[warps_[w]], fuel);
      used += kQuantum - fuel;
    }
    if (slot.block.done()) slot.busy = false;
    if (used == 0 && slot.busy && !slot.block.fault) slot.block.report_deadlock();
    if (slot.block.fault) slot.busy = false;
    const std::uint64_t total = shared_.instructions.fetch_add(used) + used;
    if (options_.instruction_budget != 0 && total > options_.instruction_budget)
      shared_.out_of_budget = true;
    if (options_.stop != nullptr && options_.stop->requested()) shared_.stopped = true;
  }

  /// Blocks one after the other on each SM, SMs side by side on host threads. A fault ends all
  /// blocks that come after it in launch order, and none that comes before.
  void spread() {
    const unsigned wanted = options_.threads == 0 ? available_cores() : options_.threads;
    const unsigned threads = M == Mode::kCheck ? 1 : wanted;
    launch_.concurrent = threads > 1;
    std::vector<std::optional<Fault>> faults(sm_count_);
    std::vector<std::uint64_t> positions(sm_count_, ~std::uint64_t{0});
    parallel_for(sm_count_, threads,
                 [&](std::size_t sm) { run_sm(sm, faults[sm], positions[sm]); });
    const auto first = std::ranges::min_element(positions) - positions.begin();
    fault_ = std::move(faults[std::size_t(first)]);
  }

  void run_sm(std::uint64_t sm, std::optional<Fault>& fault, std::uint64_t& fault_position) {
    std::unique_ptr<Slot> slot;
    for (const Wave& wave : waves_) {
      std::uint64_t position = wave.begin / sm_count_ * sm_count_ + sm;
      if (position < wave.begin) position += sm_count_;
      for (; position < wave.end; position += sm_count_) {
        if (slot == nullptr) slot = make_slot(sm);
        begin(*slot, position);
        while (slot->busy && !ended() && position < shared_.first_fault) turn(*slot);
        if (ended() || position > shared_.first_fault) return;
        if (!slot->block.fault) continue;
        fault = std::move(slot->block.fault);
        fault_position = position;
        lower_first_fault(position);
        return;
      }
    }
  }

  void lower_first_fault(std::uint64_t position) {
    std::uint64_t known = shared_.first_fault;
    while (position < known && !shared_.first_fault.compare_exchange_weak(known, position)) {
    }
  }

  /// Several blocks live at once, a quantum for each warp in turn: one block an SM, or all blocks
  /// when they wait for each other.
  void interleave() {
    const std::uint64_t all = blocks_in(waves_);
    const std::uint64_t live = launch_.grid.cooperative ? all : std::min(all, sm_count_);
    std::vector<std::unique_ptr<Slot>> slots;
    std::uint64_t started = 0, busy = live;
    while (started < live) {
      slots.push_back(make_slot(started % sm_count_));
      begin(*slots.back(), position_of(started++));
    }
    while (busy > 0 && !ended()) {
      for (auto& slot : slots) {
        if (!slot->busy) continue;
        turn(*slot);
        if (slot->block.fault) {
          fault_ = std::move(slot->block.fault);
          return;
        }
        if (slot->busy) continue;
        if (started < all)
          begin(*slot, position_of(started++));
        else
          --busy;
      }
    }
  }

  /// The n-th position that runs.
  std::uint64_t position_of(std::uint64_t n) const {
    for (const Wave& wave : waves_) {
      if (n < wave.end - wave.begin) return wave.begin + n;
      n -= wave.end - wave.begin;
    }
    return 0;
  }

  Launch& launch_;
  const RunOptions& options_;
  const Permutation blocks_, warps_;
  const std::uint64_t sm_count_;
  const std::vector<Wave> waves_;
  Shared shared_;
  std::unique_ptr<Races> races_;
  std::vector<SmCounters> counters_;
  std::optional<Fault> fault_;
};

}  // namespace

RunOutcome run_grid(Launch& launch, const RunOptions& options) {
  switch (options.mode) {
    case Mode::kCheck:
      return Runner<Mode::kCheck>(launch, options).run();
    case Mode::kCount:
      return Runner<Mode::kCount>(launch, options).run();
    case Mode::kValues:
      break;
  }
  return Runner<Mode::kValues>(launch, options).run();
}

}  // namespace kp::vgpu
