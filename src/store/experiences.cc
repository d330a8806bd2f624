// SPDX-License-Identifier: Apache-2.0
#include "store/experiences.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assets/store_experience.h"
#include "model/json.h"
#include "store/rows.h"

namespace kp::store {
namespace {

using Json = nlohmann::json;

Result<bool> has_table(Sqlite& database) {
  KP_TRY(auto row, database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'experience'"));
  return row.step();
}

Result<std::vector<NodeRecord>> nodes_below_others(Sqlite& database) {
  std::vector<NodeRecord> nodes;
  KP_TRY(auto row, database.prepare("SELECT id, parent, proposal FROM node ORDER BY id"));
  while (true) {
    KP_TRY(const bool more, row.step());
    if (!more) return nodes;
    NodeRecord& node = nodes.emplace_back();
    node.id = static_cast<int>(row.integer(0));
    node.parent = integer_or_null(row, 1);
    node.proposal = integer_or_null(row, 2);
  }
}

struct Known {
  std::optional<int> parent;
  std::optional<Diagnosis> diagnosis;
};

Result<Known> known_of(Sqlite& database, int node) {
  KP_TRY(auto row, database.prepare(R"(
    SELECT node.parent, coalesce((SELECT diagnosis FROM profile WHERE profile.node = node.id
                                  ORDER BY id DESC LIMIT 1), verdict.diagnosis)
    FROM node JOIN verdict USING (id) WHERE node.id = ?)"));
  KP_TRY(const bool found, row.bind(std::int64_t{node}).step());
  if (!found) return missing_row("node", node);
  Known known{integer_or_null(row, 0), {}};
  if (row.null(1)) return known;
  KP_TRY(const Json parsed, parse_json(row.text(1)));
  KP_TRY(known.diagnosis, diagnosis_from_json(parsed));
  return known;
}

/// "wrong answer: y is wrong (gate row, ...)" without its first words, which are the outcome.
std::string lesson_of(const std::string& outcome, const std::string& summary) {
  if (outcome == "measured") return "";
  const std::string words = outcome + ": ";
  return summary.starts_with(words) ? summary.substr(words.size()) : summary;
}

constexpr std::string_view kExperienceQuery = R"(
  SELECT experience.node, step.parent, experience.boundness, experience.findings,
         proposal.tool, proposal.action, proposal.idea, node.outcome, node.summary,
         step.gain, proposal.sources
  FROM experience
  JOIN node ON node.id = experience.node
  JOIN step ON step.node = experience.node
  JOIN proposal ON proposal.id = node.proposal
  WHERE experience.node > ? ORDER BY experience.node)";

/// `findings`: as text and read, of the row before; often the same again.
using Findings = std::pair<std::string, std::vector<std::string>>;

Result<Experience> experience_of(const Statement& row, Findings& findings) {
  Experience experience;
  experience.node = static_cast<int>(row.integer(0));
  experience.parent = static_cast<int>(row.integer(1));
  KP_TRY(experience.boundness, boundness_from(row.text(2)));
  if (std::string text = row.text(3); text != findings.first) {
    KP_TRY(findings.second, names_from(text));
    findings.first = std::move(text);
  }
  experience.findings = findings.second;
  experience.tool = row.text(4);
  experience.action = row.text(5);
  experience.idea = row.text(6);
  experience.outcome = row.text(7);
  experience.lesson = lesson_of(experience.outcome, row.text(8));
  if (!row.null(9)) experience.gain = row.real(9);
  KP_TRY(experience.sources, names_from(row.text(10)));
  return experience;
}

}  // namespace

Result<void> ensure_experiences(Sqlite& database) {
  KP_TRY(const bool there, has_table(database));
  if (there) return {};
  KP_TRY(auto change, Transaction::begin(database));
  KP_TRY(const bool meanwhile, has_table(database));
  if (meanwhile) return {};
  KP_TRY_VOID(database.execute(std::string(assets::store_experience)));
  KP_TRY(const auto nodes, nodes_below_others(database));
  for (const NodeRecord& node : nodes) KP_TRY_VOID(insert_experience(database, node));
  return change.commit();
}

Result<void> insert_experience(Sqlite& database, const NodeRecord& node) {
  if (!node.parent || !node.proposal) return {};
  KP_TRY(const auto diagnosis, diagnosis_near(database, *node.parent));
  const Diagnosis known = diagnosis.value_or(Diagnosis{});
  KP_TRY(auto row, database.prepare("INSERT INTO experience VALUES (?, ?, ?)"));
  row.bind(std::int64_t{node.id}).bind(name_of(known.boundness));
  return row.bind(std::string_view(Json(tools_of(known)).dump())).run();
}

Result<std::vector<Experience>> read_experiences(Sqlite& database, int after) {
  std::vector<Experience> experiences;
  KP_TRY(const bool there, has_table(database));
  if (!there) return experiences;
  KP_TRY(auto row, database.prepare(kExperienceQuery));
  row.bind(std::int64_t{after});
  Findings findings;
  while (true) {
    KP_TRY(const bool more, row.step());
    if (!more) return experiences;
    KP_TRY(auto experience, experience_of(row, findings));
    experiences.push_back(std::move(experience));
  }
}

Result<std::optional<Diagnosis>> diagnosis_near(Sqlite& database, int node) {
  std::optional<int> at = node;
  while (at) {
    KP_TRY(auto known, known_of(database, *at));
    if (known.diagnosis) return std::move(known.diagnosis);
    at = known.parent;
  }
  return std::optional<Diagnosis>{};
}

Result<std::vector<std::string>> names_from(const std::string& text) {
  std::vector<std::string> names;
  if (text == "[]") return names;
  KP_TRY(const Json parsed, parse_json(text));
  if (!parsed.is_array()) return fail(ErrorCode::kCorrupt, "names are no list");
  for (const Json& name : parsed) {
    if (!name.is_string()) return fail(ErrorCode::kCorrupt, "an entry of a list is no name");
    names.push_back(name.get<std::string>());
  }
  return names;
}

Result<Boundness> boundness_from(const std::string& name) {
  for (const Boundness boundness : {Boundness::kMemory, Boundness::kCompute, Boundness::kLatency,
                                    Boundness::kMixed, Boundness::kLaunch}) {
    if (name_of(boundness) == name) return boundness;
  }
  return fail(ErrorCode::kCorrupt, fmt::format("'{}' bounds no kernel", name));
}

std::vector<std::string> tools_of(const Diagnosis& diagnosis) {
  std::vector<std::string> tools;
  for (const Finding& finding : diagnosis.findings) {
    if (std::find(tools.begin(), tools.end(), finding.tool) == tools.end()) {
      tools.push_back(finding.tool);
    }
  }
  return tools;
}

}  // namespace kp::store
