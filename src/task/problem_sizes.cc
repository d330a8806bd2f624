// SPDX-License-Identifier: Apache-2.0
#include "task/problem_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace kp::task {
namespace {

// Bounds of constants, tried in turn. Ranks differ: 64 in each of four dimensions is 67 MB already.
constexpr std::array<std::int64_t, 6> kCheckBounds{64, 32, 16, 8, 128, 256};
constexpr std::array<std::int64_t, 11> kTimedBounds{16384, 8192, 4096, 2048, 1024, 512,
                                                    256,   128,  64,   32,   16};

/// Of one run.
struct Limits {
  double elements = 0, flops = 0;
};
// What the host's cores take: 13 value sets and a sanitizer in seconds, one timed run in tens of
// seconds; where a GPU runs the candidate, PyTorch's answer in double alone in about a second.
constexpr Limits kCheck{1 << 19, 1 << 25}, kTimed{1 << 24, 4e9}, kHardwareCheck{1 << 25, 1.5e10};
constexpr double kSecondCheck = 4;  // times as much as the first
constexpr std::int64_t kSmallBatch = 2;

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

double share_of(const ProblemSize& size, const Limits& limits) {
  return std::max(elements_of(size.description) / limits.elements,
                  flops_of(size.description) / limits.flops);
}

bool counts_problems(std::string_view name) {
  constexpr std::string_view kWord = "batch";
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(name.begin(), name.end(), kWord.begin(), kWord.end(), same) != name.end();
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
  std::optional<ProblemSize> first_within(std::span<const std::int64_t> bounds,
                                          const Limits& limits, bool small_batch = false) {
    for (const std::int64_t bound : bounds) {
      torch::Constants smaller = task::reduced(problem_.constants, bound);
      auto size = at(small_batch ? with_small_batch(std::move(smaller)) : std::move(smaller));
      if (size && share_of(*size, limits) <= 1) return *std::move(size);
    }
    return std::nullopt;
  }

  /// What takes the least of all that can be had.
  std::optional<ProblemSize> cheapest(std::span<const std::int64_t> bounds, const Limits& limits) {
    std::optional<ProblemSize> best;
    for (const std::int64_t bound : bounds) {
      auto size = at(with_small_batch(task::reduced(problem_.constants, bound)));
      if (size && (!best || share_of(*size, limits) < share_of(*best, limits)))
        best = *std::move(size);
    }
    return best;
  }

  Result<void> add_checks(ProblemSizes& sizes) {
    auto check = first_within(kCheckBounds, kCheck);
    if (!check) check = first_within(kCheckBounds, kCheck, true);
    if (!check) return add_hardware_check(sizes);
    auto second = at(task::reduced(problem_.constants, 2 * largest(check->constants)));
    const double least = elements_of(check->description);
    sizes.checks.push_back(*std::move(check));
    if (second && elements_of(second->description) > least &&
        share_of(*second, kCheck) <= kSecondCheck)
      sizes.checks.push_back(*std::move(second));
    return {};
  }

 private:
  Result<void> add_hardware_check(ProblemSizes& sizes) {
    auto check = cheapest(kCheckBounds, kHardwareCheck);
    if (!check || share_of(*check, kHardwareCheck) > 1) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("{} cannot be checked: no replacement of its constants gives at most "
                              "{:.0f} elements and {:.0f} operations",
                              problem_.name, kHardwareCheck.elements, kHardwareCheck.flops),
                  "write its sizes as integers at the level of the module");
    }
    sizes.checks.push_back(*std::move(check));
    sizes.hardware_only = true;
    return {};
  }

  static std::int64_t largest(const torch::Constants& constants) {
    std::int64_t most = 0;
    for (const auto& [name, value] : constants) most = std::max(most, value);
    return most;
  }

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

torch::Constants with_small_batch(torch::Constants constants) {
  for (auto& [name, value] : constants) {
    if (counts_problems(name)) value = std::min(value, kSmallBatch);
  }
  return constants;
}

Result<ProblemSizes> find_sizes(torch::Worker& worker, const torch::Problem& problem) {
  Finder finder(worker, problem);
  ProblemSizes sizes;
  KP_TRY(sizes.original, finder.at(problem.constants));
  KP_TRY_VOID(finder.add_checks(sizes));
  if (sizes.hardware_only || share_of(sizes.original, kTimed) <= 1) return sizes;
  sizes.timed = finder.first_within(kTimedBounds, kTimed);
  if (!sizes.timed) sizes.timed = sizes.checks.back();
  return sizes;
}

}  // namespace kp::task
