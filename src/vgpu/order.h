// SPDX-License-Identifier: Apache-2.0
// What each thread knows about what other threads have done: vector clocks, shared between threads
// that know the same. checks.h feeds it, races.h asks it. docs/vgpu-checks.md has the rules.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace kp::vgpu {

/// A moment of a thread: its block, its number there and its clock, packed. 0 is no moment.
struct Epoch {
  static constexpr unsigned kClockBits = 22, kThreadBits = 10;
  static constexpr std::uint32_t kLastClock = (1u << kClockBits) - 1;  // then it stands still

  std::uint64_t bits = 0;

  static Epoch of(std::uint64_t block, std::uint32_t thread, std::uint32_t clock) {
    return {(block << kThreadBits | thread) << kClockBits | clock};
  }
  std::uint64_t block() const { return bits >> (kClockBits + kThreadBits); }
  std::uint32_t thread() const {
    return std::uint32_t(bits >> kClockBits) & ((1u << kThreadBits) - 1);
  }
  std::uint32_t clock() const { return std::uint32_t(bits) & kLastClock; }
  bool exists() const { return bits != 0; }
};

/// Up to which clock the threads of the own block are known, and the releases acquired from others.
struct Knowledge {
  std::vector<std::uint32_t> clocks;  // by thread of the block
  int releases = -1;                  // node of Releases; -1: none
};
using SharedKnowledge = std::shared_ptr<const Knowledge>;

/// All releases of a launch: what a thread knew when it released a location, linked to what had
/// been released there before.
class Releases {
 public:
  /// Adds a release behind `previous` (-1: none) and returns its number.
  int add(Epoch moment, SharedKnowledge knowledge, int previous);
  /// The number that stands for both.
  int join(int a, int b);
  /// Whether who has acquired `node` knows of `moment`.
  bool covers(int node, Epoch moment);

  struct Node {
    Epoch moment;               // of the release; none in a join
    SharedKnowledge knowledge;  // null in a join
    int left = -1, right = -1;  // what it stands on
    bool mixed = false;         // several blocks' releases can be reached
    bool covers(Epoch other) const;
  };
  const Node& operator[](int node) const { return *nodes_[std::size_t(node)]; }

 private:
  /// What can be reached from a node, by block.
  using Reach = std::unordered_map<std::uint64_t, std::vector<const Node*>>;
  const Reach& reach(int node);
  bool covers_nearby(int node, Epoch moment) const;

  std::vector<std::unique_ptr<Node>> nodes_;
  std::map<int, Reach> reaches_;
};

/// The threads of one block.
class Order {
 public:
  Order(std::size_t threads, Releases& releases) : threads_(threads), releases_(releases) {}
  void begin(std::uint64_t block);

  std::uint64_t block() const { return block_; }
  Epoch now(std::uint32_t thread) const { return Epoch::of(block_, thread, clocks_[thread]); }
  /// Whether `moment` happened before what the thread does now.
  bool knows(std::uint32_t thread, Epoch moment) const;
  /// All of them know from now on what each of them did.
  void meet(std::span<const std::uint32_t> threads);
  /// The thread arrives at a barrier; those who `leave` it know what the arrivals knew.
  void arrive(std::uint32_t thread, std::uint32_t barrier);
  void leave(std::uint32_t barrier, std::span<const std::uint32_t> waiting);
  /// Makes the thread's knowledge known to who acquires; returns the location's new node.
  int release(std::uint32_t thread, int location);
  void acquire(std::uint32_t thread, int location);

 private:
  struct Arrival {
    std::uint32_t thread, clock;
    SharedKnowledge knowledge;
  };
  Knowledge gather(std::span<const Arrival> arrivals);
  void fold(std::uint32_t thread, int location);
  void tick(std::uint32_t thread);

  std::size_t threads_;
  Releases& releases_;
  std::uint64_t block_ = 0;
  std::vector<std::uint32_t> clocks_;
  std::vector<SharedKnowledge> known_;
  std::map<std::uint32_t, std::vector<Arrival>> arrivals_;  // by barrier
};

}  // namespace kp::vgpu
