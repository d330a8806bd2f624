// SPDX-License-Identifier: Apache-2.0
#include "harness/array_set.h"

namespace kp::harness {
namespace {

using Use = ArraySpec::Use;

constexpr std::uint64_t kStreams = 256;  // of one set: two canaries and a content for each array

bool is_read(Use use) { return use == Use::kRead || use == Use::kBoth; }

/// By turns random bits, NaNs and values that look like results, as poison_for.
referee::FillKind poison_kind(DType dtype, std::uint64_t turn) {
  if (!is_floating(dtype) || turn % 3 == 0) return referee::kFillBits;
  return turn % 3 == 1 ? referee::kFillNan : referee::kFillNormal;
}

}  // namespace

Result<std::variant<std::unique_ptr<ArraySet>, Outcome>> ArraySet::open(const RigRequest& request,
                                                                        std::uint64_t number,
                                                                        Referee& referee) {
  using Opened = std::variant<std::unique_ptr<ArraySet>, Outcome>;
  KP_TRY(auto rig, Rig::open(request));
  if (auto* bad = std::get_if<Outcome>(&rig)) return Opened(std::move(*bad));
  std::unique_ptr<ArraySet> set(
      new ArraySet(number, std::get<std::unique_ptr<Rig>>(std::move(rig))));
  for (const auto& [name, data] : request.workload.data) {
    KP_TRY(set->held_[name], referee.hold(data));
  }
  for (const ArraySpec& spec : set->rig_->arrays().specs()) {
    if (!is_read(spec.use)) continue;
    const Tensor& tensor = *request.task.declaration.find(spec.name);
    KP_TRY(set->drawn_[spec.name], filling_for(tensor, request.workload));
  }
  return Opened(std::move(set));
}

Filling ArraySet::content(const ArraySpec& spec, std::uint64_t key, std::uint64_t place) const {
  Filling filling{.dtype = spec.dtype};
  if (is_read(spec.use))
    filling = drawn_.at(spec.name);
  else
    filling.kind = spec.use == Use::kZeroed ? referee::kFillZero
                                            : poison_kind(spec.dtype, key + number_ + place);
  if (const auto held = held_.find(spec.name); held != held_.end() && is_read(spec.use)) {
    filling.kind = referee::kFillCopy;
    filling.source = held->second;
  }
  filling.address = rig_->arrays().address(spec.name);
  filling.count = spec.count;
  filling.key = key;
  filling.stream = number_ * kStreams + place;
  return filling;
}

void ArraySet::surround(const ArraySpec& spec, std::uint64_t key, std::uint64_t place) {
  const std::uint64_t zone = rig_->arrays().red_zone();
  if (zone == 0) return;
  const std::uint64_t address = rig_->arrays().address(spec.name);
  for (const std::uint64_t at : {address - zone, address + spec.bytes()}) {
    const Filling canary{.address = at,
                         .count = zone,
                         .dtype = DType::kU8,
                         .key = key,
                         .stream = number_ * kStreams + place++};
    fillings_.push_back(canary);
    kept_.push_back({spec.name, true, canary});
  }
}

void ArraySet::draw(std::uint64_t key) {
  fillings_.clear();
  kept_.clear();
  const auto& specs = rig_->arrays().specs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    fillings_.push_back(content(specs[i], key, i));
    if (specs[i].use == Use::kRead) kept_.push_back({specs[i].name, false, fillings_.back()});
  }
  for (std::size_t i = 0; i < specs.size(); ++i) surround(specs[i], key, specs.size() + 2 * i);
}

const Filling* ArraySet::input(const std::string& name) const {
  const auto& specs = rig_->arrays().specs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name == name && is_read(specs[i].use)) return &fillings_[i];
  }
  return nullptr;
}

const Filling* ArraySet::poison(const std::string& name) const {
  const auto& specs = rig_->arrays().specs();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name == name && !is_read(specs[i].use)) return &fillings_[i];
  }
  return nullptr;
}

std::vector<Region> ArraySet::outputs() const {
  std::vector<Region> regions;
  for (const ArraySpec& spec : rig_->arrays().specs()) {
    if (spec.use == Use::kWritten || spec.use == Use::kBoth)
      regions.push_back({rig_->arrays().address(spec.name), spec.bytes()});
  }
  return regions;
}

std::uint64_t ArraySet::bytes() const {
  std::uint64_t sum = 0;
  for (const ArraySpec& spec : rig_->arrays().specs())
    sum += spec.bytes() + 2 * rig_->arrays().red_zone();
  return sum;
}

}  // namespace kp::harness
