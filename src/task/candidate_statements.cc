// SPDX-License-Identifier: Apache-2.0
// The statements that say how a candidate computes, launches apart: precision, level, tune, buffer,
// tensormap.
#include <fmt/format.h>

#include <algorithm>

#include "task/expr_parser.h"
#include "task/plan_draft.h"

namespace kp::task {
namespace {

constexpr std::size_t kMostTuneValues = 64;
constexpr std::size_t kHighestBoxRank = 5;

}  // namespace

Result<void> precision_statement(Cursor& cursor, PlanDraft& draft) {
  KP_TRY_VOID(only_once(cursor, draft, "precision"));
  KP_TRY(const std::string word,
         parse_choice(cursor, "a precision class", {"f64", "f32", "tf32", "f16", "bf16", "fp8"}));
  draft.parsed.plan.precision = precision_from(word);
  return {};
}

Result<void> level_statement(Cursor& cursor, PlanDraft& draft) {
  KP_TRY_VOID(only_once(cursor, draft, "level"));
  KP_TRY(const std::string word, parse_choice(cursor, "a level", {"raw", "cute", "cutlass"}));
  draft.parsed.plan.level = word == "raw"    ? IncludeLevel::kRaw
                            : word == "cute" ? IncludeLevel::kCute
                                             : IncludeLevel::kCutlass;
  return {};
}

Result<void> tune_statement(Cursor& cursor, PlanDraft& draft) {
  Tune tune;
  tune.spot = cursor.spot();
  KP_TRY(const Token name, declare(cursor, draft, "a tune parameter"));
  tune.name = name.text;
  KP_TRY_VOID(cursor.expect("in", "the tune parameter"));
  do {
    const SourceSpot spot = cursor.spot();
    KP_TRY(const std::int64_t value, parse_signed_integer(cursor));
    if (std::count(tune.values.begin(), tune.values.end(), value) > 0) {
      return fail_at(spot, fmt::format("{} stands twice", value));
    }
    if (tune.values.size() == kMostTuneValues) {
      return fail_at(spot, fmt::format("more than {} values", kMostTuneValues));
    }
    tune.values.push_back(value);
  } while (cursor.accept(","));
  if (cursor.accept("where")) {
    KP_TRY(tune.where, parse_expr(cursor));
  }
  draft.parsed.plan.tunes.push_back(std::move(tune));
  return {};
}

Result<void> buffer_statement(Cursor& cursor, PlanDraft& draft) {
  ScratchBuffer buffer;
  buffer.spot = cursor.spot();
  KP_TRY(const Token name, declare(cursor, draft, "a buffer"));
  buffer.name = name.text;
  KP_TRY(buffer.dtype, parse_dtype(cursor));
  if (!cursor.peek().is("[")) return cursor.expected("`[` and the size of the buffer");
  KP_TRY(buffer.shape, parse_shape(cursor));
  if (cursor.accept("=")) {
    if (cursor.peek().kind != Token::Kind::kInteger || cursor.peek().integer != 0) {
      return cursor.expected("`0`", "a buffer can be zeroed, not filled with another value");
    }
    cursor.take();
    buffer.zeroed = true;
  }
  draft.parsed.plan.buffers.push_back(std::move(buffer));
  return {};
}

Result<void> tensormap_statement(Cursor& cursor, PlanDraft& draft) {
  TensorMap map;
  map.spot = cursor.spot();
  KP_TRY(const Token name, declare(cursor, draft, "a tensor map"));
  map.name = name.text;
  KP_TRY_VOID(cursor.expect("=", "the tensor map"));
  KP_TRY(const Token tensor, cursor.expect_name("the tensor that it describes"));
  map.tensor = tensor.text;
  KP_TRY_VOID(cursor.expect("box", "the tensor"));
  KP_TRY_VOID(cursor.expect("(", "`box`"));
  do {
    if (map.box.size() == kHighestBoxRank) {
      return fail_at(cursor.spot(), fmt::format("more than {} dimensions", kHighestBoxRank),
                     "TMA moves boxes of at most 5 dimensions");
    }
    KP_TRY(Expr extent, parse_expr(cursor));
    map.box.push_back(std::move(extent));
  } while (cursor.accept(","));
  KP_TRY_VOID(cursor.expect(")", "the box"));
  if (cursor.accept("swizzle")) {
    KP_TRY(map.swizzle, parse_choice(cursor, "a swizzle", {"none", "32B", "64B", "128B"}));
  }
  draft.parsed.plan.tensor_maps.push_back(std::move(map));
  return {};
}

}  // namespace kp::task
