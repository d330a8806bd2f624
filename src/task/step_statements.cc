// SPDX-License-Identifier: Apache-2.0
// The statements that run something: launch, zero, and both behind prepare or oracle.
#include <fmt/format.h>

#include "task/expr_parser.h"
#include "task/plan_draft.h"

namespace kp::task {
namespace {

using Kind = Token::Kind;

constexpr std::size_t kMostArguments = 64;

/// Whether the bracket under the cursor closes after a comma of its own: (x, y), not (x + y) * 2.
bool is_tuple(const Cursor& cursor) {
  int depth = 0;
  for (std::size_t i = 0; cursor.peek(i).kind != Kind::kEnd; ++i) {
    const Token& token = cursor.peek(i);
    if (token.is("(")) ++depth;
    if (token.is(")") && --depth == 0) return false;
    if (token.is(",") && depth == 1) return true;
    if (token.is(">>>")) return false;
  }
  return false;
}

Result<Dim3Expr> parse_tuple(Cursor& cursor) {
  Dim3Expr dim;
  KP_TRY_VOID(cursor.expect("(", "the dimensions"));
  KP_TRY(dim.x, parse_expr(cursor));
  if (cursor.accept(",")) {
    KP_TRY(dim.y, parse_expr(cursor));
  }
  if (cursor.accept(",")) {
    KP_TRY(dim.z, parse_expr(cursor));
  }
  KP_TRY_VOID(cursor.expect(")", "the dimensions"));
  return dim;
}

Result<Dim3Expr> parse_dim(Cursor& cursor) {
  if (cursor.peek().text == "dim3" && cursor.peek(1).is("(")) {
    cursor.take();
    return parse_tuple(cursor);
  }
  if (cursor.peek().is("(") && is_tuple(cursor)) return parse_tuple(cursor);
  Dim3Expr dim;
  KP_TRY(dim.x, parse_expr(cursor));
  return dim;
}

Result<void> parse_configuration(Cursor& cursor, Launch& launch) {
  KP_TRY_VOID(cursor.expect("<<<", "the kernel"));
  KP_TRY(launch.grid, parse_dim(cursor));
  KP_TRY_VOID(cursor.expect(",", "the grid"));
  KP_TRY(launch.block, parse_dim(cursor));
  if (cursor.accept(",")) {
    KP_TRY(launch.shared_bytes, parse_expr(cursor));
  }
  if (cursor.accept(",")) {
    if (cursor.peek().kind != Kind::kInteger || cursor.peek().integer != 0) {
      return cursor.expected("`0`", "the stream belongs to the harness; leave it out or write 0");
    }
    cursor.take();
  }
  return cursor.expect(">>>", "the launch configuration");
}

bool is_real(const Cursor& cursor) {
  return cursor.peek().kind == Kind::kReal ||
         (cursor.peek().is("-") && cursor.peek(1).kind == Kind::kReal);
}

Result<Argument> parse_argument(Cursor& cursor) {
  Argument argument;
  argument.spot = cursor.spot();
  if (is_real(cursor)) {
    KP_TRY(argument.value, parse_signed_real(cursor));
    return argument;
  }
  const bool alone = cursor.peek(1).is(",") || cursor.peek(1).is(")");
  if (cursor.peek().kind == Kind::kName && alone) {
    argument.value = std::string(cursor.take().text);
    return argument;
  }
  KP_TRY(argument.value, parse_expr(cursor));
  return argument;
}

Result<void> parse_arguments(Cursor& cursor, Launch& launch) {
  KP_TRY_VOID(cursor.expect("(", "`>>>`"));
  if (cursor.accept(")")) return {};
  do {
    if (launch.arguments.size() == kMostArguments) {
      return fail_at(cursor.spot(), fmt::format("more than {} arguments", kMostArguments));
    }
    KP_TRY(Argument argument, parse_argument(cursor));
    launch.arguments.push_back(std::move(argument));
  } while (cursor.accept(","));
  return cursor.expect(")", "the arguments");
}

Result<void> parse_modifiers(Cursor& cursor, Launch& launch) {
  while (cursor.peek().kind == Kind::kName) {
    const SourceSpot spot = cursor.spot();
    KP_TRY(const std::string word,
           parse_choice(cursor, "a modifier of a launch", {"cluster", "cooperative"}));
    const bool repeated = word == "cluster" ? launch.cluster.has_value() : launch.cooperative;
    if (repeated) return fail_at(spot, fmt::format("`{}` stands twice", word));
    if (word == "cluster") {
      KP_TRY(launch.cluster, parse_tuple(cursor));
    } else {
      launch.cooperative = true;
    }
  }
  return {};
}

Result<Step> parse_launch(Cursor& cursor) {
  Launch launch;
  launch.spot = cursor.spot();
  KP_TRY(const Token kernel, cursor.expect_name("the name of a kernel"));
  launch.kernel = kernel.text;
  KP_TRY_VOID(parse_configuration(cursor, launch));
  KP_TRY_VOID(parse_arguments(cursor, launch));
  KP_TRY_VOID(parse_modifiers(cursor, launch));
  return Step{std::move(launch)};
}

Result<Step> parse_zero(Cursor& cursor) {
  ZeroStep zero;
  zero.spot = cursor.spot();
  KP_TRY(const Token buffer, cursor.expect_name("the name of a buffer"));
  zero.buffer = buffer.text;
  return Step{std::move(zero)};
}

Result<Step> parse_step(Cursor& cursor, std::string_view after) {
  KP_TRY(const std::string keyword,
         parse_choice(cursor, fmt::format("a step after `{}`", after), {"launch", "zero"}));
  return keyword == "launch" ? parse_launch(cursor) : parse_zero(cursor);
}

Result<void> append(std::vector<Step>& steps, Result<Step> step) {
  KP_TRY(Step parsed, std::move(step));
  steps.push_back(std::move(parsed));
  return {};
}

}  // namespace

Result<void> launch_statement(Cursor& cursor, PlanDraft& draft) {
  return append(draft.parsed.plan.steps, parse_launch(cursor));
}
Result<void> zero_statement(Cursor& cursor, PlanDraft& draft) {
  return append(draft.parsed.plan.steps, parse_zero(cursor));
}
Result<void> prepare_statement(Cursor& cursor, PlanDraft& draft) {
  return append(draft.parsed.plan.prepare, parse_step(cursor, "prepare"));
}
Result<void> oracle_statement(Cursor& cursor, PlanDraft& draft) {
  return append(draft.parsed.plan.oracle, parse_step(cursor, "oracle"));
}

}  // namespace kp::task
