// SPDX-License-Identifier: Apache-2.0
#include "task/problem_values.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/random.h"
#include "model/dtype.h"

namespace kp::task {
namespace {

constexpr double kEdge = 0.02;             // a sample of U(0, 1) comes this near to both ends
constexpr double kNormalSlack = 0.1;       // of mean and deviation of a sample of N(0, 1)
constexpr double kConstantHalf = 0.5;      // to either side of a weight that is constant
constexpr std::uint64_t kSeed = 20'260;    // of the values that probe a domain
const double kRootThree = std::sqrt(3.0);  // half-width over deviation of a uniform distribution

using Kind = Distribution::Kind;

bool is_floating(const torch::Member& member) {
  const auto type = dtype_from(member.dtype);
  return type && kp::is_floating(*type);
}

Distribution from_spread(const torch::Spread& spread) {
  const bool standard = spread.least < 0 && std::fabs(spread.mean) < kNormalSlack &&
                        std::fabs(spread.deviation - 1) < kNormalSlack;
  if (standard) return {Kind::kNormal, 0, 1};
  const bool unit = spread.least >= 0 && spread.least < kEdge && spread.most <= 1 &&
                    spread.most > 1 - kEdge && spread.deviation > 0.25;
  if (unit) return {Kind::kUniform, 0, 1};
  return {Kind::kUniform, spread.least, spread.most};
}

/// The uniform distribution of the same mean and deviation.
Distribution around(const torch::Spread& spread, double least_half) {
  const double half = std::max(least_half, kRootThree * spread.deviation);
  return {Kind::kUniform, spread.mean - half, spread.mean + half};
}

Distribution integers(const torch::Spread& spread) {
  return {Kind::kInteger, std::min(0.0, spread.least), spread.most};
}

std::uint64_t elements(const torch::Member& member) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : member.shape) count *= static_cast<std::uint64_t>(extent);
  return count;
}

std::vector<double> drawn(const Distribution& how, std::uint64_t count, Random& random) {
  std::vector<double> values(count);
  for (double& value : values) {
    if (how.kind == Kind::kNormal) {
      value = random.normal();
    } else {
      value = how.low + (how.high - how.low) * random.uniform();
      if (how.kind == Kind::kInteger) value = std::round(value);
    }
  }
  return values;
}

/// Whether the problem's outputs are finite for inputs that are drawn so.
class Domain {
 public:
  Domain(torch::Worker& worker, const ProblemSample& sample) : worker_(worker), sample_(sample) {}

  Result<bool> holds(const Distributions& how) {
    Random random(kSeed);
    torch::Computation wanted{sample_.problem, sample_.size.constants, {}};
    const torch::Description& description = sample_.size.description;
    for (const auto* members : {&description.inputs, &description.weights}) {
      for (const torch::Member& member : *members)
        wanted.inputs[member.name] = values_of(member, how, random);
    }
    KP_TRY(const torch::Tensors outputs, worker_.compute(wanted));
    return std::all_of(outputs.begin(), outputs.end(), [](const auto& output) {
      return std::all_of(output.second.begin(), output.second.end(),
                         [](double value) { return std::isfinite(value); });
    });
  }

 private:
  std::vector<double> values_of(const torch::Member& member, const Distributions& how,
                                Random& random) const {
    const auto found = how.find(member.name);
    if (found == how.end()) return {member.number.value_or(0)};
    std::vector<double> values = drawn(found->second, elements(member), random);
    const auto structure = sample_.structures.find(member.name);
    if (structure != sample_.structures.end()) apply(structure->second, extents_of(member), values);
    return values;
  }

  torch::Worker& worker_;
  const ProblemSample& sample_;
};

}  // namespace

Distributions original_values(const ProblemSample& sample) {
  Distributions values;
  const torch::Description& description = sample.size.description;
  for (const torch::Member& input : description.inputs) {
    if (input.spread)
      values[input.name] =
          is_floating(input) ? from_spread(*input.spread) : integers(*input.spread);
  }
  for (const torch::Member& weight : description.weights) {
    if (weight.spread)
      values[weight.name] =
          is_floating(weight) ? around(*weight.spread, 0) : integers(*weight.spread);
  }
  // One of two is chosen by a number from [0, 1).
  for (const auto& [name, structure] : sample.structures) {
    if (structure.two) values[name] = {Kind::kUniform, 0, 1};
  }
  return values;
}

Result<Distributions> screened_values(torch::Worker& worker, const ProblemSample& sample) {
  const torch::Description& description = sample.size.description;
  Distributions values = original_values(sample);
  const auto is_decided = [&sample](const torch::Member& member) {
    const auto found = sample.structures.find(member.name);
    return found != sample.structures.end() && found->second.decides_values();
  };
  for (const torch::Member& weight : description.weights) {
    if (is_decided(weight)) continue;
    if (is_floating(weight) && weight.spread && weight.spread->deviation == 0)
      values[weight.name] = around(*weight.spread, kConstantHalf);
  }
  Domain domain(worker, sample);
  for (const torch::Member& input : description.inputs) {
    if (!is_floating(input) || !input.spread || is_decided(input)) continue;
    const Distribution own = std::exchange(values[input.name], {Kind::kNormal, 0, 1});
    KP_TRY(const bool inside, domain.holds(values));
    if (!inside) values[input.name] = own;
  }
  return values;
}

Distributions within_axes(Distributions distributions, const torch::Description& sample,
                          const Bindings& sampled, const Bindings& axes) {
  for (const torch::Member& input : sample.inputs) {
    const auto found = distributions.find(input.name);
    if (found == distributions.end() || found->second.kind != Kind::kInteger) continue;
    const double most = found->second.high;
    double bound = 0, least = 0;
    for (const auto& [name, extent] : sampled) {
      // A sample of indices below an axis comes near to its end; of axes, the tightest bounds it.
      const auto size = static_cast<double>(extent), here = static_cast<double>(axes.at(name));
      if (size <= most || size > 2 * (most + 1)) continue;
      if (bound == 0 || size < bound || (size == bound && here < least)) bound = size, least = here;
    }
    if (bound > 0) found->second.high = least - 1;
  }
  return distributions;
}

}  // namespace kp::task
