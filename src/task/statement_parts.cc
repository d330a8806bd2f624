// SPDX-License-Identifier: Apache-2.0
// The parts that several statements share: names, types, shapes, numbers.
#include <fmt/format.h>

#include "base/text.h"
#include "task/expr_parser.h"
#include "task/plan_draft.h"

namespace kp::task {
namespace {

using Kind = Token::Kind;

constexpr std::size_t kHighestRank = 8;

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(DType::kBool); ++i) {
    names.emplace_back(name_of(static_cast<DType>(i)));
  }
  return names;
}

}  // namespace

std::string suggest(std::string_view word, const std::vector<std::string>& known,
                    std::string otherwise) {
  const std::optional<std::string> close = nearest(word, known);
  return close ? fmt::format("did you mean `{}`?", *close) : std::move(otherwise);
}

Result<Token> declare(Cursor& cursor, PlanDraft& draft, std::string_view what) {
  const SourceSpot spot = cursor.spot();
  KP_TRY(const Token name, cursor.expect_name(fmt::format("the name of {}", what)));
  const auto [entry, fresh] =
      draft.names.try_emplace(std::string(name.text), PlanDraft::Taken{std::string(what), spot});
  if (!fresh) {
    return fail_at(
        spot,
        fmt::format("`{}` is already {}, line {}", name.text, entry->second.what,
                    entry->second.spot.line),
        "axes, tensors, buffers, tensor maps and tune parameters share one set of names");
  }
  return name;
}

Result<void> only_once(Cursor& cursor, PlanDraft& draft, std::string_view keyword) {
  const auto [entry, fresh] = draft.once.try_emplace(std::string(keyword), cursor.spot());
  if (fresh) return {};
  return fail_at(cursor.spot(), fmt::format("a second `{}` statement", keyword),
                 fmt::format("the first stands in line {}; a plan has one", entry->second.line));
}

Result<DType> parse_dtype(Cursor& cursor) {
  KP_TRY_VOID(cursor.expect(":", "the name"));
  const SourceSpot spot = cursor.spot();
  KP_TRY(const Token token, cursor.expect_name("an element type"));
  if (const std::optional<DType> type = dtype_from(token.text)) return *type;
  const std::vector<std::string> names = dtype_names();
  return fail_at(spot, fmt::format("unknown element type `{}`", token.text),
                 suggest(token.text, names, "the types are " + join(names, ", ")));
}

Result<std::vector<Expr>> parse_shape(Cursor& cursor) {
  std::vector<Expr> shape;
  if (!cursor.accept("[")) return shape;
  do {
    if (shape.size() == kHighestRank) {
      return fail_at(cursor.spot(), fmt::format("more than {} dimensions", kHighestRank));
    }
    KP_TRY(Expr dimension, parse_expr(cursor));
    shape.push_back(std::move(dimension));
  } while (cursor.accept(","));
  KP_TRY_VOID(cursor.expect("]", "the dimensions"));
  return shape;
}

Result<std::string> parse_choice(Cursor& cursor, std::string_view what,
                                 const std::vector<std::string>& words) {
  const Token token = cursor.peek();
  if (token.kind != Kind::kName && token.kind != Kind::kWord) return cursor.expected(what);
  for (const std::string& word : words) {
    if (word == token.text) {
      cursor.take();
      return word;
    }
  }
  return fail_at(cursor.spot(), fmt::format("`{}` is not {}", token.text, what),
                 suggest(token.text, words, "one of " + join(words, ", ")));
}

Result<double> parse_signed_real(Cursor& cursor) {
  const double sign = cursor.accept("-") ? -1.0 : 1.0;
  const Token token = cursor.peek();
  if (token.kind != Kind::kReal && token.kind != Kind::kInteger) return cursor.expected("a number");
  cursor.take();
  return sign * (token.kind == Kind::kReal ? token.real : static_cast<double>(token.integer));
}

Result<std::int64_t> parse_signed_integer(Cursor& cursor) {
  const bool negative = cursor.accept("-");
  const Token token = cursor.peek();
  if (token.kind != Kind::kInteger) return cursor.expected("an integer");
  cursor.take();
  return negative ? -token.integer : token.integer;
}

}  // namespace kp::task
