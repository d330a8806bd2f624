// SPDX-License-Identifier: Apache-2.0
#include "task/problem_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace kp::task {
namespace {

// Bounds of constants, tried in turn. Ranks differ: 64 in each of four dimensions is 67 MB already.
constexpr std::array<std::int64_t, 6> kCheckBounds{64, 32, 16, 8, 128, 256};
constexpr std::array<std::int64_t, 11> kTimedBounds{16384, 8192, 4096, 2048, 1024, 512,
                                                    256,   128,  64,   32,   16};

// What a run on the host's cores takes: 13 value sets and a sanitizer in seconds, one timed run in
// tens of seconds.
constexpr double kCheckElements = 1 << 19, kCheckFlops = 1 << 25;
constexpr double kTimedElements = 1 << 24, kTimedFlops = 4e9;
constexpr double kSecondCheck = 4;  // times as much

double flops_of(const torch::Description& description) {
  return description.contraction_flops.value_or(0) + description.other_flops.value_or(0);
}

std::int64_t smallest_factor(std::int64_t number) {
  for (std::int64_t factor = 2; factor * factor <= number; ++factor) {
    if (number % factor == 0) return factor;
  }
  return number;
}

std::int64_t reduced(std::int64_t constant, std::int64_t bound) {
  if (constant <= kLargestForm) return constant;
  while (constant > bound) {
    const std::int64_t factor = smallest_factor(constant);
    if (factor == constant) return constant % 2 == 0 ? bound : bound - 1;
    constant /= factor;
  }
  return constant;
}

std::vector<std::string> by_size(const torch::Constants& constants) {
  std::vector<std::string> names;
  for (const auto& [name, value] : constants) names.push_back(name);
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return constants.at(a) < constants.at(b);
  });
  return names;
}

class Finder {
 public:
  Finder(torch::Worker& worker, const torch::Problem& problem)
      : worker_(worker), problem_(problem) {}

  Result<ProblemSize> at(torch::Constants constants) {
    KP_TRY(torch::Description description, worker_.probe({problem_.number, constants, false}));
    return ProblemSize{std::move(constants), std::move(description)};
  }

  /// The first bound that works within the limits. A size that the problem refuses (a window wider
  /// than its image) is passed over.
  std::optional<ProblemSize> first_within(std::span<const std::int64_t> bounds, double elements,
                                          double flops) {
    for (const std::int64_t bound : bounds) {
      auto size = at(task::reduced(problem_.constants, bound));
      if (size && elements_of(size->description) <= elements &&
          flops_of(size->description) <= flops)
        return *std::move(size);
    }
    return std::nullopt;
  }

 private:
  torch::Worker& worker_;
  const torch::Problem& problem_;
};

}  // namespace

double elements_of(const torch::Description& description) {
  double sum = 0;
  for (const auto* members : {&description.inputs, &description.weights, &description.outputs}) {
    for (const torch::Member& member : *members) {
      double product = 1;
      for (const std::int64_t extent : member.shape) product *= static_cast<double>(extent);
      sum += product;
    }
  }
  return sum;
}

torch::Constants reduced(const torch::Constants& constants, std::int64_t bound) {
  torch::Constants smaller;
  for (const auto& [name, value] : constants) smaller[name] = reduced(value, bound);
  for (const std::string& name : by_size(constants)) {
    std::int64_t& own = smaller.at(name);
    for (const auto& [other, value] : constants) {
      if (value > 1 && value < constants.at(name) && constants.at(name) % value == 0)
        own = std::max(own, 2 * smaller.at(other));
    }
  }
  return smaller;
}

Result<ProblemSizes> find_sizes(torch::Worker& worker, const torch::Problem& problem) {
  Finder finder(worker, problem);
  ProblemSizes sizes;
  KP_TRY(sizes.original, finder.at(problem.constants));
  const bool large = elements_of(sizes.original.description) > kTimedElements ||
                     flops_of(sizes.original.description) > kTimedFlops;
  if (large) sizes.timed = finder.first_within(kTimedBounds, kTimedElements, kTimedFlops);
  auto check = finder.first_within(kCheckBounds, kCheckElements, kCheckFlops);
  if (!check) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("{} cannot be checked: no replacement of its constants gives at most "
                            "{:.0f} elements and {:.0f} operations",
                            problem.name, kCheckElements, kCheckFlops),
                "write its sizes as integers at the level of the module");
  }
  auto second = finder.at(task::reduced(
      problem.constants,
      2 * std::max_element(check->constants.begin(), check->constants.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; })
              ->second));
  const double least = elements_of(check->description);
  sizes.checks.push_back(*std::move(check));
  if (second && elements_of(second->description) > least &&
      elements_of(second->description) <= kSecondCheck * kCheckElements &&
      flops_of(second->description) <= kSecondCheck * kCheckFlops)
    sizes.checks.push_back(*std::move(second));
  if (large && !sizes.timed) sizes.timed = sizes.checks.back();
  return sizes;
}

}  // namespace kp::task
