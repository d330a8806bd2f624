// SPDX-License-Identifier: Apache-2.0
// Findings that belong to another kernel: true once, of something else. The set is that of the
// shipped tasks' baselines on the virtual GPU (bench/prompt_bench.cc writes it).
#include <nlohmann/json.hpp>

#include "assets/prompt_placebo.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/random.h"
#include "model/json.h"
#include "propose/llm/feedback.h"

namespace kp::propose {
namespace {

struct Foreign {
  std::string task;
  Diagnosis diagnosis;
};

std::vector<Foreign> read_set() {
  const auto json = parse_json(assets::prompt_placebo);
  KP_CHECK(json && json->is_array(), "the shipped set is a list");
  std::vector<Foreign> set;
  for (const auto& entry : *json) {
    auto diagnosis = diagnosis_from_json(entry.at("diagnosis"));
    KP_CHECK(diagnosis.has_value(), "the shipped set can be read");
    if (!diagnosis->findings.empty()) {
      set.push_back({entry.at("task").get<std::string>(), *std::move(diagnosis)});
    }
  }
  return set;
}

const std::vector<Foreign>& foreign_set() {
  static const std::vector<Foreign> set = read_set();
  return set;
}

/// The same node gets the same findings whenever it is asked for.
std::uint64_t stream_of(const Request& request) {
  return request.parent ? hash_text(request.parent->id()).low : 0;
}

class Placebo final : public Feedback {
 public:
  Arm arm() const override { return Arm::kPlacebo; }
  /// In place of the node's own findings: where it has none, there is nothing to replace.
  Result<std::string> text(const Request& request) const override {
    if (!request.diagnosis || request.diagnosis->findings.empty()) return std::string();
    std::vector<const Foreign*> others;
    for (const Foreign& entry : foreign_set()) {
      if (entry.task != request.task.name) others.push_back(&entry);
    }
    Random random(request.seed, stream_of(request));
    return findings_text(others[random.below(others.size())]->diagnosis, nullptr);
  }
};

}  // namespace

std::unique_ptr<Feedback> make_placebo_arm() { return std::make_unique<Placebo>(); }

}  // namespace kp::propose
