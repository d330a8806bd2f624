// SPDX-License-Identifier: Apache-2.0
// Round trips of a client over pipes, the server in the same process: tools/list, and show_tree and
// ask of runs with 100 and with 10,000 nodes.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "base/check.h"
#include "loop/stored_run.h"
#include "mcp/catalog.h"

namespace {

using namespace kp;
using namespace kp::mcp;
using nlohmann::json;

class Client {
 public:
  explicit Client(const Path& root) {
    KP_CHECK(::pipe(to_) == 0 && ::pipe(from_) == 0, "pipes");
    channel_.emplace(to_[0], from_[1]);
    mine_.emplace(from_[0], to_[1]);
    server_.emplace(introduction({}), make_tools({"vgpu", {}, "0"}), std::vector<Path>{root},
                    *channel_);
    thread_ = std::thread([this] { (void)server_->serve(stop_); });
  }
  ~Client() {
    ::close(to_[1]);
    thread_.join();
  }
  json ask(const char* method, const json& params) {
    KP_CHECK(mine_->write(request(1, method, params)).has_value(), "the server reads");
    const auto line = mine_->read(stop_);
    KP_CHECK(line && *line, "the server answers");
    return json::parse(**line);
  }
  json call(const char* tool, const json& arguments) {
    return ask("tools/call", {{"name", tool}, {"arguments", arguments}});
  }

 private:
  StopFlag stop_;
  int to_[2] = {}, from_[2] = {};
  std::optional<LineChannel> channel_, mine_;
  std::optional<Server> server_;
  std::thread thread_;
};

void list(benchmark::State& state) {
  Client client(".");
  for (auto _ : state) benchmark::DoNotOptimize(client.ask("tools/list", json::object()));
}

Evaluation evaluation(double nanoseconds) {
  Measured measured;
  measured.nanoseconds = nanoseconds;
  measured.workloads = {{"time", nanoseconds, {}, {}, {}}};
  return {measured, Depth::kQuick, "vgpu:h200", 0.1, {}, {}, {}};
}

/// A run of small candidates, each made from one before it.
void grow(const Path& folder, int nodes) {
  loop::Settings settings;
  settings.proposer = loop::kByHand;
  settings.device = "vgpu:h200";
  settings.stop = {.budget = 1 << 20, .patience = 0};
  const auto made = loop::found_run(KP_SOURCE_DIR "/tasks/transpose", settings, folder);
  KP_CHECK(made.has_value(), "a run is founded");
  auto stored = loop::open_shared(folder);
  KP_CHECK(stored.has_value(), "the run opens");
  auto run = loop::LiveRun::open(std::move(stored->store), stored->settings, stored->task);
  KP_CHECK(run.has_value() && run->enter(0, {evaluation(1e6), {}}, {}).has_value(), "a baseline");
  for (int node = 1; node < nodes; ++node) {
    propose::Proposal proposal;
    proposal.source = *stored->task.baseline + "// " + std::to_string(node);
    const auto given = run->volunteer((node - 1) / 4, {proposal});
    KP_CHECK(given.has_value(), "a candidate is handed in");
    const auto entered = run->enter(given->front().proposal, {evaluation(1e6 - node), {}}, {});
    KP_CHECK(entered.has_value(), "a verdict is entered");
  }
}

void call_run(benchmark::State& state, const Path& root, const char* tool, const char* run) {
  Client client(root);
  for (auto _ : state) {
    const json answer = client.call(tool, {{"run", run}});
    KP_CHECK(answer["result"]["isError"] == false, answer.dump());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto place = *TemporaryFolder::make();
  const Path root = std::filesystem::canonical(place.path());
  grow(root / "100_nodes", 100);
  grow(root / "10000_nodes", 10'000);
  benchmark::RegisterBenchmark("tools/list", list)->Unit(benchmark::kMillisecond);
  for (const char* tool : {"show_tree", "ask"}) {
    for (const char* run : {"100_nodes", "10000_nodes"}) {
      const std::string name = std::string(tool) + "/" + run;
      benchmark::RegisterBenchmark(name.c_str(), [&root, tool, run](benchmark::State& state) {
        call_run(state, root, tool, run);
      })->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
