// SPDX-License-Identifier: Apache-2.0
// How inputs are filled: `~ normal`, `~ uniform(a, b)`, `~ int(a, b)`.
#include "task/distribution.h"

#include <fmt/format.h>

#include "task/expr_parser.h"
#include "task/plan_draft.h"

namespace kp::task {
namespace {

Result<Distribution> uniform(Cursor& cursor) {
  const SourceSpot spot = cursor.spot();
  Distribution out{Distribution::Kind::kUniform, 0, 1};
  KP_TRY_VOID(cursor.expect("(", "`uniform`"));
  KP_TRY(out.low, parse_signed_real(cursor));
  KP_TRY_VOID(cursor.expect(",", "the lower bound"));
  KP_TRY(out.high, parse_signed_real(cursor));
  KP_TRY_VOID(cursor.expect(")", "the upper bound"));
  if (!(out.low < out.high)) {
    return fail_at(spot, fmt::format("uniform({}, {}) is empty", out.low, out.high),
                   "the lower bound must be below the upper one");
  }
  return out;
}

Result<Distribution> integers(Cursor& cursor, PlanDraft& draft, const Tensor& tensor) {
  RangeLine range{tensor.name, Expr{}, Expr{}, cursor.spot()};
  KP_TRY_VOID(cursor.expect("(", "`int`"));
  KP_TRY(range.low, parse_expr(cursor));
  KP_TRY_VOID(cursor.expect(",", "the lower bound"));
  KP_TRY(range.high, parse_expr(cursor));
  KP_TRY_VOID(cursor.expect(")", "the upper bound"));
  draft.ranges.push_back(std::move(range));
  // The bounds follow when the axes are known.
  return Distribution{Distribution::Kind::kInteger, 0, 0};
}

}  // namespace

IntegerRange representable(DType type) {
  if (type == DType::kBool) return {0, 1};
  // References compute in double, which holds integers up to 2^53.
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  const std::size_t bits = 8 * size_of(type);
  if (is_floating(type) || bits == 64) return {type == DType::kU64 ? 0 : -kExact, kExact};
  if (!is_signed_integer(type)) return {0, (std::int64_t{1} << bits) - 1};
  const std::int64_t high = (std::int64_t{1} << (bits - 1)) - 1;
  return {-high - 1, high};
}

Distribution default_distribution(DType type) {
  if (is_floating(type)) return {Distribution::Kind::kNormal, 0, 1};
  if (size_of(type) == 1) {
    const IntegerRange all = representable(type);
    return {Distribution::Kind::kInteger, static_cast<double>(all.low),
            static_cast<double>(all.high)};
  }
  return {Distribution::Kind::kInteger, is_signed_integer(type) ? -1000.0 : 0.0, 1000.0};
}

Result<Distribution> integer_distribution(const IntegerRange& range, DType type) {
  if (range.low > range.high) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("int({}, {}) is empty", range.low, range.high),
                "both bounds are inclusive; the lower one must not exceed the upper one");
  }
  const IntegerRange all = representable(type);
  if (range.low < all.low || range.high > all.high) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("int({}, {}) does not fit {}", range.low, range.high, name_of(type)),
                fmt::format("{} takes {} to {}", name_of(type), all.low, all.high));
  }
  return Distribution{Distribution::Kind::kInteger, static_cast<double>(range.low),
                      static_cast<double>(range.high)};
}

Result<Distribution> parse_distribution(Cursor& cursor, PlanDraft& draft, const Tensor& tensor) {
  const SourceSpot spot = cursor.spot();
  KP_TRY(const std::string kind,
         parse_choice(cursor, "a distribution", {"normal", "uniform", "int"}));
  if (kind == "int") return integers(cursor, draft, tensor);
  if (!is_floating(tensor.dtype)) {
    return fail_at(spot, fmt::format("`{}` cannot fill {} elements", kind, name_of(tensor.dtype)),
                   "use int(low, high) for integer types");
  }
  if (kind == "uniform") return uniform(cursor);
  return Distribution{};
}

Result<Distribution> parse_distribution(std::string_view text, const Tensor& tensor,
                                        const Bindings& axes) {
  const TextMap map(text, {});
  KP_TRY(std::vector<Token> tokens, tokenize({text, {0, text.size()}, map, Dialect::kPlan}));
  Cursor cursor(std::move(tokens), map);
  PlanDraft draft;
  KP_TRY(const Distribution found, parse_distribution(cursor, draft, tensor));
  if (cursor.peek().kind != Token::Kind::kEnd) return cursor.expected("the end of the text");
  if (draft.ranges.empty()) return found;
  IntegerRange range;
  KP_TRY(range.low, draft.ranges.front().low.evaluate(axes));
  KP_TRY(range.high, draft.ranges.front().high.evaluate(axes));
  return integer_distribution(range, tensor.dtype);
}

Distribution distribution_of(const Tensor& tensor, const Workload& workload) {
  const auto own = workload.distributions.find(tensor.name);
  Distribution distribution =
      own != workload.distributions.end() ? own->second : tensor.distribution;
  if (is_floating(tensor.dtype) || distribution.kind != Distribution::Kind::kNormal)
    return distribution;
  // Integers without a distribution: small ones, so that sums stay exact.
  const double high = tensor.dtype == DType::kBool ? 1 : 100;
  return {Distribution::Kind::kInteger, is_signed_integer(tensor.dtype) ? -high : 0, high};
}

}  // namespace kp::task
