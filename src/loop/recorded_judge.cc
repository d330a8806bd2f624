// SPDX-License-Identifier: Apache-2.0
#include "loop/recorded_judge.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/device_spec_text.h"
#include "model/json.h"

namespace kp::loop {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kEvaluation = "evaluation", kProfile = "profile", kRun = "run",
                           kEnd = "ending";

std::string key_of(const Candidate& candidate, Depth depth) {
  return candidate.id() + " " + std::string(name_of(depth));
}

tl::unexpected<Error> unreadable_line(std::string_view kind) {
  return fail(ErrorCode::kCorrupt, "a line of kind " + std::string(kind) + " cannot be read",
              "use an unchanged copy of the recording");
}

/// A part of a recorded value that may be null.
Json part(const Json& value, const char* key) {
  const auto found = value.is_object() ? value.find(key) : value.end();
  return value.is_object() && found != value.end() ? *found : Json();
}

std::string text_in(const Json& value, const char* key) {
  const Json text = part(value, key);
  return text.is_string() ? text.get<std::string>() : "";
}

Result<RecordedRun> read_start(llm::Recording& recording) {
  KP_TRY(const Json value, recording.next(kRun, "").within("read how the run was started"));
  RecordedRun run;
  const Json settings = part(value, "settings");
  if (!settings.is_object()) return unreadable_line(kRun);
  for (const auto& [key, text] : settings.items()) {
    if (!text.is_string()) return unreadable_line(kRun);
    run.meta[key] = text.get<std::string>();
  }
  KP_TRY(run.settings, settings_from(run.meta));
  run.device.name = text_in(value, "device");
  run.device.timing =
      text_in(value, "timing") == name_of(Grade::kMeasured) ? Grade::kMeasured : Grade::kModelled;
  KP_TRY(run.device.spec, parse_device_spec(text_in(value, "spec"), "spec of the recording"));
  return run;
}

}  // namespace

Result<Judged> RecordingJudge::judge(const Candidate& candidate, Depth depth,
                                     const diagnose::TrackRecord& record) {
  KP_TRY(auto judged, judge_.judge(candidate, depth, record));
  const Json diagnosis = judged.diagnosis ? to_json(*judged.diagnosis) : Json();
  KP_TRY_VOID(into_->add(kEvaluation, key_of(candidate, depth),
                         {{"evaluation", to_json(judged.evaluation)}, {"diagnosis", diagnosis}}));
  return judged;
}

Result<std::optional<FullProfile>> RecordingJudge::look_into(const Candidate& candidate,
                                                             const diagnose::TrackRecord& record) {
  KP_TRY(auto full, judge_.look_into(candidate, record));
  Json value;
  if (full) value = {{"profile", to_json(full->profile)}, {"diagnosis", to_json(full->diagnosis)}};
  KP_TRY_VOID(into_->add(kProfile, candidate.id(), value));
  return full;
}

Result<Judged> ReplayedJudge::judge(const Candidate& candidate, Depth depth,
                                    const diagnose::TrackRecord&) {
  KP_TRY(const Json value, from_->next(kEvaluation, key_of(candidate, depth)));
  Judged judged;
  KP_TRY(judged.evaluation, evaluation_from_json(part(value, "evaluation")));
  if (const Json diagnosis = part(value, "diagnosis"); !diagnosis.is_null()) {
    KP_TRY(judged.diagnosis, diagnosis_from_json(diagnosis));
  }
  return judged;
}

Result<std::optional<FullProfile>> ReplayedJudge::look_into(const Candidate& candidate,
                                                            const diagnose::TrackRecord&) {
  KP_TRY(const Json value, from_->next(kProfile, candidate.id()));
  if (value.is_null()) return std::optional<FullProfile>{};
  FullProfile full;
  KP_TRY(full.profile, profile_from_json(part(value, "profile")));
  KP_TRY(full.diagnosis, diagnosis_from_json(part(value, "diagnosis")));
  return std::optional(std::move(full));
}

Result<void> record_start(llm::Recording& recording, const store::Meta& meta,
                          const device::Description& device) {
  return recording.add(kRun, "",
                       {{"settings", meta},
                        {"device", device.name},
                        {"timing", name_of(device.timing)},
                        {"spec", to_toml(device.spec)}});
}

Result<void> record_end(llm::Recording& recording, const std::string& rule, int evaluations) {
  return recording.add(kEnd, "", {{"rule", rule}, {"evaluations", evaluations}});
}

Result<RecordedRun> read_run(llm::Recording& recording) {
  KP_TRY(auto run, read_start(recording));
  Json end;
  while (recording.left(kEnd) > 0) {
    KP_TRY(end, recording.next(kEnd, ""));
  }
  const Json evaluations = part(end, "evaluations");
  const std::string rule = text_in(end, "rule");
  if (!evaluations.is_number_integer() || rule == "interrupted") {
    return fail(ErrorCode::kInvalidInput, "the recorded run did not come to its end",
                "let `kernelpro resume` finish it: it goes on with the recording");
  }
  // What ended the run from outside does not end its replay: time, money, a larger budget.
  search::StopOptions& stop = run.settings.stop;
  const bool from_outside = rule == "time" || rule == "spending";
  const int all = evaluations.get<int>();
  stop.budget = from_outside ? all : std::max(stop.budget, all);
  stop.time = {};
  return run;
}

}  // namespace kp::loop
