// SPDX-License-Identifier: Apache-2.0
// The arrays of one launch of a contest: filled by secret keys before it, recalled after it.
// Nothing of them passes through the host.
#pragma once
#include <memory>

#include "harness/referee.h"
#include "harness/rig.h"

namespace kp::harness {

class ArraySet {
 public:
  /// `number` tells the sets of a contest apart: no two ever hold the same drawn inputs. `referee`
  /// holds those that the workload takes from files; it must be the one that fills.
  static Result<std::variant<std::unique_ptr<ArraySet>, Outcome>> open(const RigRequest& request,
                                                                       std::uint64_t number,
                                                                       Referee& referee);

  /// Decides what every array holds before the next launch.
  void draw(std::uint64_t key);
  const std::vector<Filling>& fillings() const { return fillings_; }
  /// What an array that the task reads holds before the launch; null for others.
  const Filling* input(const std::string& name) const;
  /// What an output or scratch array holds before the launch.
  const Filling* poison(const std::string& name) const;

  /// What must still be there afterwards: inputs, and the canaries around all arrays.
  struct Kept {
    std::string name;
    bool canary = false;
    Filling filling;
  };
  const std::vector<Kept>& kept() const { return kept_; }
  std::vector<Region> outputs() const;

  const Rig& rig() const { return *rig_; }
  std::uint64_t bytes() const;

 private:
  ArraySet(std::uint64_t number, std::unique_ptr<Rig> rig)
      : number_(number), rig_(std::move(rig)) {}
  Filling content(const ArraySpec& spec, std::uint64_t key, std::uint64_t place) const;
  void surround(const ArraySpec& spec, std::uint64_t key, std::uint64_t place);

  std::uint64_t number_;
  std::unique_ptr<Rig> rig_;
  std::map<std::string, std::uint64_t> held_;  // addresses of fixed inputs, by name
  std::map<std::string, Filling> drawn_;       // how the others are filled, by name
  std::vector<Filling> fillings_;              // of specs in order, then canaries
  std::vector<Kept> kept_;
};

}  // namespace kp::harness
