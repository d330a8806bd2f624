// SPDX-License-Identifier: Apache-2.0
// Bookkeeping of the search on a toy game: iterations a second, and memory for 100,000 nodes.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cmath>

#include "base/check.h"
#include "base/random.h"
#include "search/strategy.h"

namespace {

using namespace kp;
using namespace kp::search;

constexpr int kNodes = 100'000;

/// Every version is up to a third faster or slower than its parent, one in eight is broken.
Trial play(const Tree& tree, int parent, std::uint64_t turn) {
  const auto dice = philox(7, turn);
  if (dice[0] % 8 == 0) return {Fate::kBroken, 0};
  const double step = static_cast<double>(dice[1]) / 4294967295.0 - 0.6;
  const double above = std::max(tree.node(parent).trial.speedup, 0.1);
  return {Fate::kCorrect, above * std::exp(step / 3)};
}

long peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

void grow(benchmark::State& state, const char* name) {
  const long before = peak_bytes();
  for (auto _ : state) {
    auto strategy = make_strategy(name, Trial{Fate::kCorrect, 1});
    KP_CHECK(strategy.has_value(), "the strategy is in the catalogue");
    for (int i = 1; i < kNodes; ++i) {
      const auto ask = (*strategy)->ask();
      KP_CHECK(ask.has_value(), "the toy game never ends");
      (*strategy)->tell(*ask, play((*strategy)->tree(), ask->node, static_cast<std::uint64_t>(i)));
      (*strategy)->close(*ask, false);
    }
    benchmark::DoNotOptimize((*strategy)->tree().best());
  }
  state.SetItemsProcessed(state.iterations() * (kNodes - 1));
  state.counters["peak_MB"] = static_cast<double>(peak_bytes() - before) / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* name : {"mcts"}) {
    benchmark::RegisterBenchmark(name, [name](benchmark::State& state) {
      grow(state, name);
    })->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
