// SPDX-License-Identifier: Apache-2.0
#include "loop/memory.h"

#include <iterator>
#include <memory>

#include "loop/stored_run.h"
#include "search/memory.h"
#include "store/experiences.h"

namespace kp::loop {
namespace {

constexpr std::size_t kMostRecalled = 10;  // as many as a prompt shows

void append(std::vector<Experience>& all, std::vector<Experience> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

class Remembering {
 public:
  Result<std::vector<Experience>> recall(LiveRun& run, int node) {
    if (!run.settings().proposer_options.memory) return std::vector<Experience>{};
    KP_TRY_VOID(hear_others(run));
    KP_TRY(auto own, run.store().experiences(last_));
    if (!own.empty()) last_ = own.back().node;
    append(known_, std::move(own));
    KP_TRY(const auto situation, situation_of(run, node));
    return search::recall(situation, known_, kMostRecalled);
  }

 private:
  Result<void> hear_others(LiveRun& run) {
    if (!begun_) {
      KP_TRY(shared_, shared_memory(run.settings()));
      KP_TRY(meta_, run.store().meta());
      begun_ = true;
    }
    if (!shared_) return {};
    store::Without without{meta_["run_id"], "", ""};
    if (run.settings().memory == MemoryScope::kHeldOut) {
      without.task = run.task().name;
      without.task_digest = meta_["task_digest"];
    }
    KP_TRY(auto others, shared_->read(without));
    append(known_, std::move(others));
    return {};
  }

  Result<search::Situation> situation_of(LiveRun& run, int node) {
    search::Situation situation{run.task().name, device_of(meta_), Boundness::kMixed, {}};
    KP_TRY(const auto diagnosis, run.store().diagnosis_near(node));
    if (diagnosis) {
      situation.boundness = diagnosis->boundness;
      situation.findings = store::tools_of(*diagnosis);
    }
    situation.run = meta_["run_id"];
    situation.node = node;
    return situation;
  }

  bool begun_ = false;
  std::optional<store::SharedMemory> shared_;
  store::Meta meta_;
  std::vector<Experience> known_;  // in the order in which they became known
  int last_ = -1;                  // node of the run
};

}  // namespace

Recall remembering() {
  return [memory = std::make_shared<Remembering>()](LiveRun& run, int node) {
    return memory->recall(run, node);
  };
}

Result<std::optional<store::SharedMemory>> shared_memory(const Settings& settings) {
  if (settings.memory == MemoryScope::kOwn) return std::optional<store::SharedMemory>{};
  const Path& file = settings.memory_file;
  KP_TRY(auto memory, store::SharedMemory::open(file.empty() ? store::default_memory() : file));
  return std::optional(std::move(memory));
}

Result<void> pass_on(LiveRun& run, int after) {
  KP_TRY(auto memory, shared_memory(run.settings()));
  if (!memory) return {};
  KP_TRY(const auto experiences, run.store().experiences(after));
  KP_TRY(const auto meta, run.store().meta());
  const auto digest = meta.find("task_digest");
  return memory->add(experiences, digest == meta.end() ? "" : digest->second);
}

}  // namespace kp::loop
