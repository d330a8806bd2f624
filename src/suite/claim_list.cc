// SPDX-License-Identifier: Apache-2.0
#include "suite/claim_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "base/text.h"
#include "model/json.h"
#include "task/survey.h"

namespace kp::suite {
namespace {

constexpr std::uint64_t kLongestFile = 64u << 20;  // bytes

/// "level1/25" of "KernelBench/level1/25_Swish.py" and of "level_1_problem_25_sample_0_kernel.py".
std::string place_of(const Path& file) {
  static const std::regex kGenerated("level_(\\d+)_problem_(\\d+)_.*");
  static const std::regex kNumbered("(\\d+)_.*");
  const std::string name = file.filename().string();
  std::smatch match;
  if (std::regex_match(name, match, kGenerated))
    return fmt::format("level{}/{}", match[1].str(), match[2].str());
  if (!std::regex_match(name, match, kNumbered)) return {};
  return fmt::format("{}/{}", file.parent_path().filename().string(), match[1].str());
}

const Path* problem_of(const Path& candidate, const std::vector<Path>& problems) {
  if (problems.size() == 1) return &problems.front();
  const auto named = std::find_if(problems.begin(), problems.end(), [&](const Path& problem) {
    return problem.filename() == candidate.filename();
  });
  if (named != problems.end()) return &*named;
  const std::string place = place_of(candidate);
  const auto placed = std::find_if(problems.begin(), problems.end(), [&](const Path& problem) {
    return !place.empty() && place_of(problem) == place;
  });
  return placed != problems.end() ? &*placed : nullptr;
}

Result<std::map<std::string, double>> claimed_in(const Path& file) {
  std::map<std::string, double> claimed;
  if (file.empty()) return claimed;
  KP_TRY(const std::string text, read_text(file, kLongestFile));
  const nlohmann::json json = parse_json(text).value_or(nlohmann::json());
  for (const auto& one : json.items()) {
    if (one.value().is_number() && one.value() > 0) claimed[one.key()] = one.value();
  }
  if (json.is_object() && claimed.size() == json.size()) return claimed;
  return fail_at({file.string(), 0, 0}, "it is no object of speedups by name",
                 "write {\"25_Swish\": 3.1, ...}");
}

}  // namespace

Result<ClaimList> list_claims(const ClaimSources& sources) {
  KP_TRY(const auto candidates, task::python_problems(sources.candidates));
  KP_TRY(const auto problems, task::python_problems({sources.tasks}));
  KP_TRY(const auto claimed, claimed_in(sources.claimed));
  ClaimList list;
  for (const Path& candidate : candidates) {
    const Path* problem = problem_of(candidate, problems);
    if (problem == nullptr) {
      list.strangers.push_back(candidate);
      continue;
    }
    ClaimRequest& request = list.requests.emplace_back(ClaimRequest{candidate, *problem, {}});
    for (const Path& named : {candidate, *problem}) {
      const auto found = claimed.find(named.stem().string());
      if (found != claimed.end() && !request.claimed) request.claimed = found->second;
    }
  }
  return list;
}

Result<std::vector<Claim>> read_claims(const Path& file) {
  std::vector<Claim> claims;
  std::error_code code;
  if (!std::filesystem::exists(file, code)) return claims;
  KP_TRY(const std::string text, read_text(file, kLongestFile));
  int number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (trim(line).empty()) continue;
    const auto json = parse_json(line);
    auto claim = json ? claim_from(*json) : tl::unexpected<Error>(json.error());
    if (!claim)
      return fail_at({file.string(), number, 0}, claim.error().message,
                     "remove that line; its candidate is judged anew");
    claims.push_back(*std::move(claim));
  }
  return claims;
}

Result<void> write_claims(const Path& file, const std::vector<Claim>& claims) {
  std::string text;
  for (const Claim& claim : claims) text += to_json(claim).dump() + "\n";
  return write_file(file, text);
}

}  // namespace kp::suite
