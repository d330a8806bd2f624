// SPDX-License-Identifier: Apache-2.0
#include "suite/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"

namespace kp::suite {
namespace {

using TaskAndSeed = std::pair<std::string, std::uint64_t>;

/// The name of a baseline that was timed for both, so that failures have something to be 1x of.
std::optional<std::string> common_baseline(const RunResult& a, const RunResult& b) {
  const auto has = [](const RunResult& run, const std::string& name) {
    return std::any_of(run.yardsticks.begin(), run.yardsticks.end(),
                       [&](const Yardstick& one) { return one.name == name; });
  };
  for (const char* name : {kOwnBaseline, "eager", "compile", "graph"}) {
    if (has(a, name) && has(b, name)) return name;
  }
  return std::nullopt;
}

Pair pair_of(const RunResult& a, const RunResult& b, const std::string& baseline) {
  const auto of_a = speedup_over(a, baseline), of_b = speedup_over(b, baseline);
  Pair pair{a.key.task, a.key.seed, of_a.value_or(1), of_b.value_or(1), !of_a, !of_b, {}};
  return pair;
}

tl::unexpected<Error> different_worlds(const RunResult& a, const RunResult& b) {
  return fail(ErrorCode::kInvalidInput,
              fmt::format("{}: one side was {} on {}, the other {} on {}", to_string(a.key),
                          name_of(grade_of(a)), a.product, name_of(grade_of(b)), b.product),
              "compare runs of one device; modelled and measured times have no common scale");
}

class Comparer {
 public:
  Comparer(const Side& a, const Side& b) : a_(a), b_(b) { compared_ = {a.name, b.name, {}, {}}; }

  Result<Compared> compare() {
    std::map<TaskAndSeed, const RunResult*> others;
    for (const RunResult& run : b_.runs) others[{run.key.task, run.key.seed}] = &run;
    for (const RunResult& run : a_.runs) {
      const auto other = others.find({run.key.task, run.key.seed});
      if (other == others.end()) {
        leave_out(run, "only on the first side");
        continue;
      }
      KP_TRY_VOID(add(run, *other->second));
      others.erase(other);
    }
    for (const auto& [key, run] : others) leave_out(*run, "only on the second side");
    if (compared_.comparisons.empty()) return nothing();
    for (Comparison& one : compared_.comparisons) test(one);
    return std::move(compared_);
  }

 private:
  void leave_out(const RunResult& run, std::string_view why) {
    compared_.left_out.push_back(fmt::format("{}, seed {}: {}", run.key.task, run.key.seed, why));
  }

  Result<void> add(const RunResult& a, const RunResult& b) {
    if (a.quarantined || b.quarantined) return leave_out(a, "in quarantine"), Result<void>();
    if (a.task_digest != b.task_digest) {
      return leave_out(a, "the task is not the same on both sides"), Result<void>();
    }
    if (grade_of(a) != grade_of(b) || a.product != b.product) return different_worlds(a, b);
    const auto baseline = common_baseline(a, b);
    if (!baseline) return leave_out(a, "no baseline was timed on both sides"), Result<void>();
    Pair pair = pair_of(a, b, *baseline);
    pair.noise = noise_of(a);
    group_of(a).pairs.push_back(std::move(pair));
    return {};
  }

  Comparison& group_of(const RunResult& run) {
    auto& all = compared_.comparisons;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Comparison& one) {
      return one.grade == grade_of(run) && one.product == run.product;
    });
    if (found != all.end()) return *found;
    return all.emplace_back(Comparison{grade_of(run), run.product, {}, {}, {}, {}});
  }

  std::optional<Noise> noise_of(const RunResult& run) const {
    std::optional<Noise> newest;
    for (const Side* side : {&a_, &b_}) {
      for (const Noise& one : side->noise) {
        const bool same = one.task == run.key.task && one.product == run.product;
        if (same && one.grade == grade_of(run)) newest = one;
      }
    }
    return newest;
  }

  static void test(Comparison& one) {
    std::vector<double> a, b;
    std::map<std::string, stats::TaskSpeedups> ratios;
    for (const Pair& pair : one.pairs) {
      a.push_back(std::log(pair.a));
      b.push_back(pair.tied() ? a.back() : std::log(pair.b));
      ratios[pair.task].push_back(pair.a / pair.b);
    }
    one.wilcoxon = stats::wilcoxon(a, b);
    one.sign = stats::sign_test(a, b);
    std::vector<stats::TaskSpeedups> tasks;
    for (auto& [task, list] : ratios) tasks.push_back(std::move(list));
    const auto mean = [](std::span<const stats::TaskSpeedups> sample) {
      return stats::geometric_mean(sample);
    };
    one.ratio = {mean(tasks), stats::task_interval(std::span(std::as_const(tasks)), mean)};
  }

  Result<Compared> nothing() const {
    std::string why = "there is no run on both sides";
    if (!compared_.left_out.empty()) why += ": " + compared_.left_out.front();
    return fail(ErrorCode::kInvalidInput, why,
                "compare two arms that ran the same tasks and seeds");
  }

  const Side& a_;
  const Side& b_;
  Compared compared_;
};

}  // namespace

bool Pair::tied() const { return std::abs(a / b - 1) < kSameSpeed; }

Result<Side> read_side(const std::string& text) {
  std::error_code error;
  const auto colon = text.rfind(':');
  const bool whole = std::filesystem::exists(text, error) || colon == std::string::npos;
  KP_TRY(const Results results, read_results(whole ? text : text.substr(0, colon)));
  std::set<std::string> arms;
  for (const RunResult& run : results.runs) arms.insert(run.key.arm);
  std::string arm = whole ? (arms.size() == 1 ? *arms.begin() : "") : text.substr(colon + 1);
  if (!arms.contains(arm)) {
    const std::vector<std::string> list(arms.begin(), arms.end());
    return fail(
        ErrorCode::kNotFound,
        arm.empty() ? fmt::format("{} has several arms, or none", text)
                    : fmt::format("{} has no results of an arm `{}`", results.folder.string(), arm),
        list.empty() ? "run the suite first"
                     : fmt::format("name one, as in {}:{}; there are {}", results.folder.string(),
                                   list.front(), join(list, ", ")));
  }
  Side side{text, std::move(arm), {}, results.noise};
  for (const RunResult& run : results.runs) {
    if (run.key.arm == side.arm) side.runs.push_back(run);
  }
  return side;
}

Result<Compared> compare(const Side& a, const Side& b) { return Comparer(a, b).compare(); }

}  // namespace kp::suite
