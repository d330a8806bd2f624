// SPDX-License-Identifier: Apache-2.0
#include "report/trace_evaluation.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"

namespace kp::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNanosecondsPerMillisecond = 1e6;
constexpr std::string_view kDerived = "check:";  // of a workload that is timed as well

/// Rules that nobody breaks by mistake.
const std::set<std::string> kCheating{"late-write", "harms-baseline", "clock", "unplanned-kernel"};

std::string at(const store::Meta& meta, const std::string& key) {
  const auto found = meta.find(key);
  return found == meta.end() ? std::string() : found->second;
}

class Record {
 public:
  explicit Record(const EvaluationRecord& from)
      : from_(from), verdict_(verdict_for(from.workload.name)) {}

  Json json() const {
    const std::string status = status_name();
    Json out{{"status", status},
             {"environment", environment()},
             {"timestamp", timestamp()},
             {"log", log()}};
    if (status == "PASSED" || status == "INCORRECT_NUMERICAL") out["correctness"] = correctness();
    if (status == "PASSED") out["performance"] = performance();
    return out;
  }

 private:
  const PublishedVerdict* verdict_for(std::string_view name) const {
    for (const PublishedVerdict& verdict : from_.evaluation.published) {
      std::string_view judged = verdict.workload;
      if (judged.starts_with(kDerived)) judged.remove_prefix(kDerived.size());
      if (judged == name || verdict.workload == name) return &verdict;
    }
    return nullptr;
  }

  /// Passed is what both sides call so.
  std::string status_name() const {
    const Outcome& outcome = from_.evaluation.outcome;
    if (std::holds_alternative<BuildFailed>(outcome)) return "COMPILE_ERROR";
    if (std::holds_alternative<TimedOut>(outcome)) return "TIMEOUT";
    if (std::holds_alternative<WrongAnswer>(outcome)) return "INCORRECT_NUMERICAL";
    if (std::holds_alternative<Measured>(outcome))
      return verdict_ == nullptr || verdict_->passed ? "PASSED" : "INCORRECT_NUMERICAL";
    const auto* rejected = std::get_if<Rejected>(&outcome);
    const bool cheating = rejected != nullptr && kCheating.contains(rejected->rule);
    return from_.sol && cheating ? "REWARD_HACK" : "RUNTIME_ERROR";
  }

  /// Only libraries whose versions are known.
  Json environment() const {
    Json libs = Json::object();
    if (const std::string version = at(from_.meta, "version"); !version.empty())
      libs["kernelpro"] = version;
    if (const std::string compiler = at(from_.meta, "compiler"); !compiler.empty())
      libs["compiler"] = compiler;
    return {{"hardware", hardware_of(from_.meta, from_.evaluation)}, {"libs", libs}};
  }

  /// The run's "2026-01-31 09:05 UTC" in the form of ISO 8601.
  std::string timestamp() const {
    std::string date = at(from_.meta, "date");
    if (date.size() != std::string_view("2026-01-31 09:05 UTC").size()) return "unknown";
    return date.substr(0, 10) + "T" + date.substr(11, 5) + ":00Z";
  }

  Json number(double value) const {
    if (std::isfinite(value)) return value;
    if (from_.sol) return 0.0;  // where has_nan or has_inf says why
    return std::isnan(value) ? "NaN" : "Infinity";
  }

  Json correctness() const {
    Json out = Json::object();
    if (verdict_ != nullptr) {
      out["max_relative_error"] = number(verdict_->max_relative_error);
      out["max_absolute_error"] = number(verdict_->max_absolute_error);
      if (from_.sol) {
        out["has_nan"] = verdict_->has_nan;
        out["has_inf"] = verdict_->has_infinity;
      }
    }
    out["extra"] = {{"kernelpro", own_judgement()}};
    return out;
  }

  Json own_judgement() const {
    if (const Measured* measured = from_.evaluation.measured())
      return {{"relative_l2_error", measured->worst_error},
              {"relative_l2_limit", measured->error_limit}};
    const auto& wrong = std::get<WrongAnswer>(from_.evaluation.outcome);
    return {{"gate", wrong.gate}, {"tensor", wrong.tensor}, {"value_set", wrong.value_set}};
  }

  const TimedWorkload* timed() const {
    const Measured* measured = from_.evaluation.measured();
    if (measured == nullptr || measured->grade != Grade::kMeasured) return nullptr;
    for (const TimedWorkload& timed : measured->workloads)
      if (timed.workload == from_.workload.name) return &timed;
    return nullptr;
  }

  /// Empty where nothing was measured.
  Json performance() const {
    Json out = Json::object();
    const TimedWorkload* timed = this->timed();
    if (timed == nullptr) return out;
    const double latency = timed->nanoseconds / kNanosecondsPerMillisecond;
    out["latency_ms"] = latency;
    if (!timed->speedup) return out;
    out["reference_latency_ms"] = latency * timed->speedup->value;
    out["speedup_factor"] = timed->speedup->value;
    return out;
  }

  std::string log() const {
    std::vector<std::string> lines{"kernelpro: " + summary(from_.evaluation)};
    for (const std::string& note : from_.evaluation.notes) lines.push_back(note);
    const TimedWorkload* timed = this->timed();
    if (timed != nullptr && timed->speedup) {
      lines.push_back(fmt::format(
          "latency: median with a cold L2; reference: the task's baseline plan, not the Python of "
          "the definition, timed in alternation: {}",
          to_string(*timed->speedup)));
    } else if (from_.evaluation.measured() && timed == nullptr) {
      lines.push_back("no times: this was judged on a virtual GPU, whose times are modelled");
    }
    return join(lines, "\n");
  }

  const EvaluationRecord& from_;
  const PublishedVerdict* verdict_;
};

}  // namespace

const Evaluation* judgement_of(const NodeView& view) {
  if (view.final) return &*view.final;
  return view.node.evaluation ? &*view.node.evaluation : nullptr;
}

std::string hardware_of(const store::Meta& meta, const Evaluation& evaluation) {
  const bool real = !evaluation.device.starts_with("vgpu");
  const std::string product = at(meta, "product");
  if (real && !product.empty()) return product;
  return real ? evaluation.device : fmt::format("virtual GPU ({})", evaluation.device);
}

Json evaluation_record(const EvaluationRecord& record) { return Record(record).json(); }

}  // namespace kp::report
