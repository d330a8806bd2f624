// SPDX-License-Identifier: Apache-2.0
#include "harness/arrays.h"

#include <fmt/format.h>

#include <limits>

#include "base/check.h"
#include "base/hash.h"
#include "base/random.h"
#include "harness/convert.h"

namespace kp::harness {
namespace {

constexpr std::uint64_t kAlignment = 256;
constexpr std::uint64_t kPieceBytes = 64ull << 20;
constexpr std::uint64_t kPoisonPeriod = 65'521;  // elements; prime, so that no tile sees it repeat

Bytes random_bytes(std::uint64_t count, Random random) {
  Bytes bytes(count);
  for (std::uint64_t i = 0; i < count; i += 8) {
    const std::uint64_t bits = random.bits64();
    for (std::uint64_t j = 0; j < 8 && i + j < count; ++j)
      bytes[i + j] = static_cast<std::byte>(bits >> (8 * j));
  }
  return bytes;
}

std::uint64_t round_up(std::uint64_t value) {
  return (value + kAlignment - 1) / kAlignment * kAlignment;
}

Random canary_stream(const std::string& name, std::uint64_t seed) {
  return Random(seed, hash_text(name).high);
}

Bytes poison_period(const ArraySpec& array, std::uint64_t seed) {
  const std::uint64_t count = std::min(array.count, kPoisonPeriod);
  Random random(seed, hash_text(array.name).low);
  const bool plausible = seed % 3 == 2, not_a_number = seed % 3 == 1;
  Bytes period;
  if (is_floating(array.dtype) && (plausible || not_a_number)) {
    std::vector<double> values(count, std::numeric_limits<double>::quiet_NaN());
    if (plausible) {
      for (double& value : values) value = random.normal();
    }
    period.resize(count * size_of(array.dtype));
    encode(array.dtype, values, period);
  } else {
    period = random_bytes(count * size_of(array.dtype), random);
  }
  return period;
}

}  // namespace

Bytes repeated(const Bytes& period, std::uint64_t count) {
  Bytes bytes(count);
  for (std::uint64_t at = 0; at < count; at += period.size())
    std::copy_n(period.begin(), std::min<std::uint64_t>(period.size(), count - at),
                bytes.begin() + static_cast<std::ptrdiff_t>(at));
  return bytes;
}

Bytes poison_for(const ArraySpec& array, std::uint64_t seed) {
  return repeated(poison_period(array, seed), array.bytes());
}

Arrays::~Arrays() {
  for (const auto& [name, place] : places_) buffers_.release(place.allocation);
}

Result<void> Arrays::add(const ArraySpec& spec) {
  const std::uint64_t before = round_up(red_zone_);
  KP_TRY(const std::uint64_t allocation,
         buffers_.allocate(before + spec.bytes() + red_zone_, spec.name));
  places_[spec.name] = {allocation, allocation + before, specs_.size()};
  specs_.push_back(spec);
  return {};
}

const Arrays::Place& Arrays::place(const std::string& name) const {
  const auto found = places_.find(name);
  KP_CHECK(found != places_.end(), "an array that was added");
  return found->second;
}

Result<void> Arrays::write(const std::string& name, std::span<const std::byte> bytes) {
  return buffers_.write(place(name).address, bytes);
}

Result<void> Arrays::poison(const std::string& name, std::uint64_t seed) {
  const Place& at = place(name);
  const std::uint64_t bytes = spec_of(at).bytes();
  const Bytes period = poison_period(spec_of(at), seed);
  const std::uint64_t periods = std::max<std::uint64_t>(kPieceBytes / period.size(), 1);
  const Bytes piece = repeated(period, std::min(bytes, periods * period.size()));
  for (std::uint64_t done = 0; done < bytes; done += piece.size()) {
    const auto part = std::span(piece).first(std::min<std::uint64_t>(piece.size(), bytes - done));
    KP_TRY_VOID(buffers_.poison(at.address + done, part));
  }
  return {};
}

Result<Bytes> Arrays::read(const std::string& name) {
  const Place& at = place(name);
  Bytes bytes(spec_of(at).bytes());
  KP_TRY_VOID(buffers_.read(at.address, bytes));
  return bytes;
}

std::optional<std::uint64_t> Arrays::first_unwritten(const std::string& name) {
  const Place& at = place(name);
  return buffers_.first_undefined(at.address, spec_of(at).bytes());
}

Result<void> Arrays::set_canaries(std::uint64_t seed) {
  if (red_zone_ == 0) return {};
  for (const auto& [name, at] : places_) {
    const Bytes canary = random_bytes(red_zone_, canary_stream(name, seed));
    KP_TRY_VOID(buffers_.write(at.address - red_zone_, canary));
    KP_TRY_VOID(buffers_.write(at.address + spec_of(at).bytes(), canary));
  }
  return {};
}

Result<std::optional<std::string>> Arrays::broken_canary(std::uint64_t seed) {
  if (red_zone_ == 0) return std::optional<std::string>{};
  for (const auto& [name, at] : places_) {
    const Bytes canary = random_bytes(red_zone_, canary_stream(name, seed));
    for (const std::uint64_t address : {at.address - red_zone_, at.address + spec_of(at).bytes()}) {
      Bytes now(red_zone_);
      KP_TRY_VOID(buffers_.read(address, now));
      if (now != canary) return std::optional<std::string>(name);
    }
  }
  return std::optional<std::string>{};
}

device::Binding Arrays::binding(bool weights_only) const {
  device::Binding binding;
  for (const auto& [name, at] : places_) {
    const ArraySpec& spec = spec_of(at);
    const bool scratch =
        spec.use == ArraySpec::Use::kScratch || spec.use == ArraySpec::Use::kZeroed;
    if (weights_only && !spec.weight && !scratch) continue;
    binding.addresses[name] = at.address;
    if (scratch || spec.use == ArraySpec::Use::kWritten) binding.bytes[name] = spec.bytes();
  }
  return binding;
}

}  // namespace kp::harness
