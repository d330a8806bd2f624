// SPDX-License-Identifier: Apache-2.0
// A plan while it is being read: what the statements said, before workloads are derived from them.
// Used by the *_statements.cc files, plan_parser.cc and workloads.cc.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "task/cursor.h"
#include "task/task.h"

namespace kp::task {

struct AxisLine {
  std::string name;
  Expr value;  // over axes declared before
  SourceSpot spot;
};

/// `check` and `time`: values for some axes; the others keep those of the `axis` lines.
struct WorkloadLine {
  struct Value {
    std::string axis;
    std::int64_t value = 0;
    SourceSpot spot;
  };
  WorkloadRole role = WorkloadRole::kCheck;
  std::vector<Value> values;
  SourceSpot spot;
};

/// `int(low, high)` whose bounds may name axes.
struct RangeLine {
  std::string tensor;
  Expr low, high;
  SourceSpot spot;
};

struct PlanDraft {
  ParsedPlan parsed;
  std::vector<AxisLine> axes;
  std::vector<WorkloadLine> workloads;
  std::vector<RangeLine> ranges;
  struct Taken {
    std::string what;  // "an axis"
    SourceSpot spot;
  };
  std::map<std::string, Taken, std::less<>> names;      // of everything a plan declares
  std::map<std::string, SourceSpot, std::less<>> once;  // statements that may stand once only
};

using Statement = Result<void> (*)(Cursor&, PlanDraft&);

Result<void> axis_statement(Cursor& cursor, PlanDraft& draft);
Result<void> check_statement(Cursor& cursor, PlanDraft& draft);
Result<void> time_statement(Cursor& cursor, PlanDraft& draft);
Result<void> input_statement(Cursor& cursor, PlanDraft& draft);
Result<void> output_statement(Cursor& cursor, PlanDraft& draft);
Result<void> inout_statement(Cursor& cursor, PlanDraft& draft);
Result<void> weight_statement(Cursor& cursor, PlanDraft& draft);
Result<void> work_statement(Cursor& cursor, PlanDraft& draft);
Result<void> precision_statement(Cursor& cursor, PlanDraft& draft);
Result<void> level_statement(Cursor& cursor, PlanDraft& draft);
Result<void> tune_statement(Cursor& cursor, PlanDraft& draft);
Result<void> buffer_statement(Cursor& cursor, PlanDraft& draft);
Result<void> tensormap_statement(Cursor& cursor, PlanDraft& draft);
Result<void> launch_statement(Cursor& cursor, PlanDraft& draft);
Result<void> zero_statement(Cursor& cursor, PlanDraft& draft);
Result<void> prepare_statement(Cursor& cursor, PlanDraft& draft);
Result<void> oracle_statement(Cursor& cursor, PlanDraft& draft);

/// Takes a name that nothing else in the plan has; `what` is "an axis", "a buffer", ...
Result<Token> declare(Cursor& cursor, PlanDraft& draft, std::string_view what);
/// Fails when this statement (the keyword was just read) has been there before.
Result<void> only_once(Cursor& cursor, PlanDraft& draft, std::string_view keyword);
/// `: dtype`, and `[expr, ...]` when there is one.
Result<DType> parse_dtype(Cursor& cursor);
Result<std::vector<Expr>> parse_shape(Cursor& cursor);
/// One of a fixed list of words, with the nearest one as hint.
Result<std::string> parse_choice(Cursor& cursor, std::string_view what,
                                 const std::vector<std::string>& words);
Result<double> parse_signed_real(Cursor& cursor);
Result<std::int64_t> parse_signed_integer(Cursor& cursor);
/// `normal`, `uniform(a, b)`, `int(a, b)`. Bounds of `int` that name axes go to draft.ranges.
Result<Distribution> parse_distribution(Cursor& cursor, PlanDraft& draft, const Tensor& tensor);

/// "did you mean `x`?", or `otherwise`.
std::string suggest(std::string_view word, const std::vector<std::string>& known,
                    std::string otherwise);

/// Turns axis, check, time and range lines into workloads and checks the declaration as a whole.
Result<void> finish_declaration(PlanDraft& draft);

}  // namespace kp::task
