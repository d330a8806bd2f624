// SPDX-License-Identifier: Apache-2.0
// What was tried in a run, for what and with what outcome, without parsing evaluations: the row
// that stands for it is written with the node.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/sqlite.h"
#include "model/experience.h"
#include "store/records.h"

namespace kp::store {

/// The table, filled from the nodes that are there; nothing when there is one. Runs of programs
/// before it get it when they are gone on with.
Result<void> ensure_experiences(Sqlite& database);
/// For a node that is in the database; nothing for a root.
Result<void> insert_experience(Sqlite& database, const NodeRecord& node);
/// Of the nodes after `after`, in order; run, task and device are empty.
Result<std::vector<Experience>> read_experiences(Sqlite& database, int after);
/// What is known of `node`, or of the nearest version above it of which anything is.
Result<std::optional<Diagnosis>> diagnosis_near(Sqlite& database, int node);

/// kCorrupt when it is no JSON list of names.
Result<std::vector<std::string>> names_from(const std::string& text);
Result<Boundness> boundness_from(const std::string& name);
/// Tools that fired, ranked, each once.
std::vector<std::string> tools_of(const Diagnosis& diagnosis);

}  // namespace kp::store
