// SPDX-License-Identifier: Apache-2.0
// Prompts of the shipped tasks with findings and history: milliseconds and tokens.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "model/json.h"
#include "propose/llm/prompt.h"
#include "task/task.h"

namespace {

using namespace kp;           // NOLINT
using namespace kp::propose;  // NOLINT

const Path kTree = KP_SOURCE_DIR;

/// What the diagnosis says of the baseline on the virtual GPU.
Diagnosis diagnosis_of(const std::string& task) {
  const auto set = *parse_json(*read_text(kTree / "src/propose/prompts/placebo.json"));
  for (const auto& entry : set) {
    if (entry.at("task") == task) return *diagnosis_from_json(entry.at("diagnosis"));
  }
  return {};
}

std::vector<Path> tasks() {
  std::vector<Path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kTree / "tasks")) {
    const bool folder = std::filesystem::exists(entry.path() / "definition.json");
    if (folder || entry.path().extension() == ".cu") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void build_prompt(benchmark::State& state, const Path& path) {
  const Task task = *task::read_task(path);
  const Candidate parent = *task::make_candidate(task, *task.baseline, "candidate-1.cu");
  const Diagnosis diagnosis = diagnosis_of(path.stem().string());
  const DeviceSpec spec = *read_device_spec((kTree / "specs" / "h200.toml").string());
  Evaluation evaluation;
  evaluation.outcome = Measured{};
  const std::vector<Attempt> attempts(30, {"id",
                                           "tile-through-shared",
                                           {},
                                           "stages both operands through shared memory",
                                           "wrong answer: y differs from the reference",
                                           std::nullopt});
  Request request{task};
  request.parent = &parent;
  request.diagnosis = &diagnosis;
  request.evaluation = &evaluation;
  request.spec = &spec;
  request.attempts = attempts;
  std::size_t tokens = 0;
  for (auto _ : state) {
    const auto prompt = write_prompt(request);
    KP_CHECK(prompt.has_value(), "the prompt of a shipped task can be written");
    tokens = estimate_tokens(*prompt);
  }
  state.counters["tokens"] = static_cast<double>(tokens);
}

}  // namespace

int main(int argc, char** argv) {
  for (const Path& path : tasks()) {
    benchmark::RegisterBenchmark(path.stem().string().c_str(), [path](benchmark::State& state) {
      build_prompt(state, path);
    })->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
