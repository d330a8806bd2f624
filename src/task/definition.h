// SPDX-License-Identifier: Apache-2.0
// definition.json and workload.jsonl of a task folder, in the schema that FlashInfer-Bench and
// SOL-ExecBench share; docs/task.md lists what is read and what we add. Used by directory.cc.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "model/plan.h"

namespace kp::task {

struct AxisSpec {
  std::string name;
  enum class Kind { kConst, kVar, kExpr } kind = Kind::kVar;
  std::int64_t value = 0;  // kConst
  Expr expr;               // kExpr
};

/// Whose rules hold for what a workload does not say.
enum class Publisher { kNone, kFlashInfer, kSol };

struct Definition {
  std::string name, description;
  std::string reference;  // PyTorch text; may be empty
  std::string op_type;
  std::string custom_inputs;  // the function in `reference` that makes `custom` inputs
  Publisher publisher = Publisher::kNone;
  std::vector<Path> roots;  // what paths of data may be relative to, in order
  std::vector<AxisSpec> axes;
  Declaration declaration;
  std::vector<Expr> constraints;                     // those that speak of axes alone
  std::map<std::string, std::string> distributions;  // by tensor, as written; bounds may name axes
};

Result<Definition> read_definition(const Path& path);

/// All workloads with their roles; at least one of each.
Result<std::vector<Workload>> read_workloads(const Definition& definition, const Path& path);

/// What the publisher's own evaluator allows where a workload has no `tolerance`; absent where it
/// compares in a way of its own (sampling), or nobody published the task.
std::optional<Tolerance> usual_tolerance(const Definition& definition, Publisher publisher);
/// The member `tolerance` of a workload of SOL-ExecBench.
Result<Tolerance> read_tolerance(const nlohmann::json& json, const SourceSpot& spot);

/// Distributions of inputs whose names say what they are, where the definition gives none.
void add_usual_values(Definition& definition);

/// The tensor that a `safetensors` input names, found and checked against the declaration.
Result<FixedInput> find_data(const Definition& definition, const Tensor& tensor,
                             const nlohmann::json& input, const Workload& workload);

/// An error about the member `where` of the JSON text in `spot`.
tl::unexpected<Error> fail_member(const SourceSpot& spot, std::string_view where,
                                  std::string_view message, std::string hint = {});

}  // namespace kp::task
