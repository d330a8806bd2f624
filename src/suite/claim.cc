// SPDX-License-Identifier: Apache-2.0
#include "suite/claim.h"

#include "model/json_reader.h"

namespace kp::suite {
namespace {

using Json = nlohmann::json;

template <class T>
void read_number(const JsonReader& in, const char* key, std::optional<T>& value) {
  if (in.has(key)) value = in.number(key);
}

}  // namespace

std::string_view name_of(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kPasses:
      return "passes";
    case ClaimVerdict::kCoarser:
      return "coarser";
    case ClaimVerdict::kWrong:
      return "wrong";
    case ClaimVerdict::kRefused:
      return "refused";
    case ClaimVerdict::kCrashed:
      return "crashed";
    case ClaimVerdict::kTimedOut:
      return "timed out";
    case ClaimVerdict::kForged:
      break;
  }
  return "forged";
}

Json to_json(const Claim& claim) {
  Json json{{"candidate", claim.candidate.string()},
            {"task", claim.task.string()},
            {"content", claim.content},
            {"trust", "low"},
            {"device", claim.device},
            {"verdict", name_of(claim.verdict)},
            {"reason", claim.reason},
            {"claimed", or_null(claim.claimed)},
            {"published_check", or_null(claim.published_check)},
            {"nanoseconds", or_null(claim.nanoseconds)},
            {"baselines", claim.baselines},
            {"over_fastest", or_null(claim.over_fastest)},
            {"fastest", claim.fastest},
            {"own_share", or_null(claim.own_share)},
            {"library_kernels", claim.library_kernels},
            {"confinement", claim.confinement},
            {"remarks", claim.remarks},
            {"seconds", claim.seconds}};
  json["precision"] = claim.precision ? Json(name_of(*claim.precision)) : Json();
  json["over_eager"] = claim.over_eager ? Json{{"median", claim.over_eager->middle},
                                               {"least", claim.over_eager->least},
                                               {"most", claim.over_eager->most}}
                                        : Json();
  return json;
}

Result<Claim> claim_from(const Json& json) {
  JsonReader::Fault fault;
  const JsonReader in(json, "claim", fault);
  Claim claim{.candidate = in.text("candidate"), .task = in.text("task")};
  claim.content = in.text("content");
  claim.device = in.text("device");
  const std::string verdict = in.text("verdict");
  bool known = false;
  for (const ClaimVerdict one : kClaimVerdicts) {
    if (name_of(one) == verdict) claim.verdict = one, known = true;
  }
  if (!known) in.wrong("verdict", "a known verdict");
  claim.reason = in.text("reason");
  read_number(in, "claimed", claim.claimed);
  if (in.has("precision")) claim.precision = precision_from(in.text("precision"));
  if (in.has("published_check")) claim.published_check = in.flag("published_check");
  read_number(in, "nanoseconds", claim.nanoseconds);
  const JsonReader baselines = in.object("baselines");
  for (const auto& one : baselines.json().items())
    claim.baselines[one.key()] = baselines.number(one.key().c_str());
  if (in.has("over_eager")) {
    const JsonReader ratio = in.object("over_eager");
    claim.over_eager = {ratio.number("median"), ratio.number("least"), ratio.number("most")};
  }
  read_number(in, "over_fastest", claim.over_fastest);
  claim.fastest = in.text("fastest");
  read_number(in, "own_share", claim.own_share);
  claim.library_kernels = in.texts("library_kernels");
  claim.confinement = in.text("confinement");
  claim.remarks = in.texts("remarks");
  claim.seconds = in.number("seconds");
  return value_or_fault(std::move(claim), std::move(fault));
}

}  // namespace kp::suite
