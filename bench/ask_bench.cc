// SPDX-License-Identifier: Apache-2.0
// What the loop costs by itself: an ask in a run of 10,000 nodes, opened anew as the command does,
// and one step of a session whose proposer and judge take no time.
#include <benchmark/benchmark.h>

#include <string>

#include "base/check.h"
#include "loop/briefing.h"
#include "loop/fake_judge.h"
#include "loop/memory.h"
#include "loop/session.h"

namespace {

using namespace kp;
using namespace kp::loop;

constexpr int kNodes = 10'000;

/// The profile and the source of a node take as much room as those of real ones.
constexpr std::size_t kProfileBytes = 16 << 10, kSourceBytes = 3 << 10;

template <class T>
T sure(Result<T> result) {
  KP_CHECK(result.has_value(), "the bench has its own folder and task");
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

Judged verdict(int node) {
  Measured measured;
  measured.nanoseconds = 100 - (node * 7919 % 1000) / 20.0;
  Evaluation evaluation{measured, Depth::kQuick, "fake", 0, {}};
  evaluation.notes = {std::string(kProfileBytes, 'x')};
  Diagnosis diagnosis;
  for (int i = 0; i < 3; ++i) {
    diagnosis.findings.emplace_back().tool = "tool_" + std::to_string((node + i * i) % 20);
  }
  return {std::move(evaluation), std::move(diagnosis)};
}

std::string source(int number) {
  return fake_version(50, number) + "// " + std::string(kSourceBytes, 'x') + "\n";
}

struct Stored {
  TemporaryFolder base = sure(TemporaryFolder::make());
  Task task = sure(fake_task(base.path()));
  Settings settings;
  Path folder() const { return base.path() / "run"; }
};

/// A run of so many nodes, grown as the search wants it and written in one change.
void grow(const Stored& run, store::RunStore& store) {
  History history(run.settings.search, run.settings.seed);
  const auto hear = [&](const store::Record& record, const store::Summary& summary) {
    sure(store.insert(record));
    sure(history.take(summary));
  };
  for (int id = 0; id < kNodes; ++id) {
    std::optional<int> ask, parent;
    if (id > 0) {
      const auto drawn = history.draw();
      ask = id - 1, parent = drawn->node;
      const store::AskRecord asked{id - 1, drawn->node, std::string(name_of(drawn->role)),
                                   drawn->why};
      hear(asked, asked);
    }
    store::ProposalRecord proposal{.id = id,
                                   .ask = ask,
                                   .source = source(id),
                                   .idea = "an idea",
                                   .tool = "bank_conflict",
                                   .action = "pad",
                                   .predicted = {1, 2}};
    proposal.candidate = "c" + std::to_string(id);
    hear(proposal, store::ProposalSummary{id, ask, proposal.candidate});
    auto judged = verdict(id);
    const double ns = judged.evaluation.measured()->nanoseconds;
    const store::NodeRecord node{id,
                                 parent,
                                 id,
                                 proposal.candidate,
                                 std::move(judged.evaluation),
                                 100 / ns,
                                 std::move(judged.diagnosis)};
    hear(node, store::NodeSummary{id, parent, id, node.candidate, "measured", ns, 100 / ns});
    if (ask) hear(store::CloseRecord{*ask, false}, store::CloseRecord{*ask, false});
  }
}

const Stored& stored() {
  static const Stored made = [] {
    Stored run;
    run.settings.stop = {1 << 30, {}, 0, false};
    auto store = sure(store::RunStore::create(run.folder(), sure(to_meta(run.settings, run.task))));
    auto change = sure(store.change());
    grow(run, store);
    sure(change.commit());
    return run;
  }();
  return made;
}

/// All that `kernelpro ask` does but the words of the prompt.
void ask_with(benchmark::State& state, Recall (*memory)()) {
  const Stored& run = stored();
  for (auto _ : state) {
    auto store = sure(store::RunStore::share(run.folder()));
    auto live = sure(LiveRun::open(std::move(store), run.settings, run.task));
    const auto briefing = sure(Briefing::read(live, *sure(live.ask()), memory()));
    benchmark::DoNotOptimize(briefing.request(live));
  }
}

void ask(benchmark::State& state) { ask_with(state, remembering); }
void ask_without_memory(benchmark::State& state) {
  ask_with(state, [] { return Recall(); });
}

class InstantProposer final : public propose::Proposer {
 public:
  std::string_view name() const override { return "instant"; }
  Result<std::vector<propose::Proposal>> propose(const propose::Request& request) override {
    propose::Proposal proposal;
    proposal.source = source(static_cast<int>(request.known.size()));
    return std::vector{std::move(proposal)};
  }
};

void step(benchmark::State& state) {
  const Stored& run = stored();
  FakeJudge judge(run.task);
  InstantProposer proposer;
  auto store = sure(store::RunStore::open(run.folder(), Sqlite::Access::kWrite));
  auto session = sure(
      Session::resume(run.settings, {judge, proposer, nullptr, remembering()}, std::move(store)));
  for (auto _ : state) sure(session.step());
}

}  // namespace

BENCHMARK(ask)->Unit(benchmark::kMillisecond);
BENCHMARK(ask_without_memory)->Unit(benchmark::kMillisecond);
BENCHMARK(step)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
