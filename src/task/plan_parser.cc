// SPDX-License-Identifier: Apache-2.0
// Finds the plan comment and reads its statements; each keyword has one function.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "task/plan_draft.h"

namespace kp::task {
namespace {

using Kind = Token::Kind;

constexpr std::size_t kLongestSource = 4u << 20;  // bytes
constexpr std::size_t kLongestPlan = 64u << 10;   // bytes
constexpr int kMostStatements = 512;
constexpr std::string_view kKeyword = "kernelpro";

struct Rule {
  std::string_view keyword;
  Statement read;
  bool declares;  // belongs to the task, not to the candidate
};

constexpr std::array<Rule, 17> kRules{{
    {"axis", axis_statement, true},
    {"check", check_statement, true},
    {"time", time_statement, true},
    {"input", input_statement, true},
    {"output", output_statement, true},
    {"inout", inout_statement, true},
    {"weight", weight_statement, true},
    {"work", work_statement, true},
    {"precision", precision_statement, false},
    {"level", level_statement, false},
    {"tune", tune_statement, false},
    {"buffer", buffer_statement, false},
    {"tensormap", tensormap_statement, false},
    {"prepare", prepare_statement, false},
    {"launch", launch_statement, false},
    {"zero", zero_statement, false},
    {"oracle", oracle_statement, false},
}};

Result<Rule> rule_at(const Cursor& cursor) {
  const Token& token = cursor.peek();
  std::vector<std::string> keywords;
  for (const Rule& rule : kRules) {
    if (token.kind == Kind::kName && token.text == rule.keyword) return rule;
    keywords.emplace_back(rule.keyword);
  }
  if (token.kind != Kind::kName) return cursor.expected("a statement");
  return fail_at(cursor.spot(), fmt::format("unknown statement `{}`", token.text),
                 suggest(token.text, keywords, "the statements are " + join(keywords, ", ")));
}

bool ends_statement(const Token& token) {
  return token.kind == Kind::kNewline || token.kind == Kind::kEnd || token.is(";");
}

Result<void> read_statement(Cursor& cursor, PlanDraft& draft) {
  KP_TRY(const Rule rule, rule_at(cursor));
  const std::size_t begin = cursor.position();
  const SourceSpot spot = cursor.spot();
  cursor.take();
  KP_TRY_VOID(rule.read(cursor, draft));
  if (!ends_statement(cursor.peek())) {
    return cursor.expected(fmt::format("the end of the `{}` statement", rule.keyword));
  }
  if (rule.declares) draft.parsed.declaration_lines.push_back({cursor.text_since(begin), spot});
  return {};
}

Result<void> read_statements(Cursor& cursor, PlanDraft& draft) {
  int statements = 0;
  while (cursor.peek().kind != Kind::kEnd) {
    if (ends_statement(cursor.peek())) {
      cursor.take();
      continue;
    }
    if (++statements > kMostStatements) {
      return fail_at(cursor.spot(), fmt::format("more than {} statements", kMostStatements));
    }
    KP_TRY_VOID(read_statement(cursor, draft));
  }
  return {};
}

bool launches(const std::vector<Step>& steps) {
  return std::any_of(steps.begin(), steps.end(),
                     [](const Step& step) { return std::holds_alternative<Launch>(step); });
}

/// What stands after `kernelpro` in a plan comment, without the closing `*/`.
TextSpan plan_body(std::string_view source, const TextRange& range) {
  return {source.find(kKeyword, range.begin) + kKeyword.size(), range.end - 2};
}

}  // namespace

Result<TextRange> find_plan(std::string_view source, const std::string& file) {
  if (source.size() > kLongestSource) {
    return fail(ErrorCode::kLimit,
                fmt::format("{} has {}", file, format_bytes(static_cast<double>(source.size()))),
                fmt::format("a candidate has at most {}", format_bytes(kLongestSource)));
  }
  std::optional<TextRange> found;
  for (const Inert& inert : inert_spans(source)) {
    const TextSpan span = inert.span;
    if (inert.kind != Inert::Kind::kBlockComment) continue;
    const std::string_view inside = source.substr(span.begin + 2, span.end - span.begin - 2);
    if (!starts_with_word(trim(inside), kKeyword)) continue;
    const TextMap map(source, file);
    if (!inert.closed)
      return fail_at(map.spot(span.begin), "the plan comment is not closed", "end it with `*/`");
    if (found) {
      return fail_at(map.spot(span.begin), "a second plan comment",
                     fmt::format("the first stands in line {}; a candidate has one plan",
                                 map.spot(found->begin).line));
    }
    found = TextRange{span.begin, span.end};
  }
  if (found) return *found;
  return fail_at({file, 0, 0}, "no plan: no block comment starts with `kernelpro`",
                 "`kernelpro init FILE.cu` drafts one; docs/candidate.md has the grammar");
}

Result<ParsedPlan> parse_plan(std::string_view source, const std::string& file) {
  KP_TRY(const TextRange range, find_plan(source, file));
  const TextMap map(source, file);
  if (range.end - range.begin > kLongestPlan) {
    return fail_at(map.spot(range.begin),
                   fmt::format("the plan is longer than {} bytes", kLongestPlan));
  }
  KP_TRY(std::vector<Token> tokens, tokenize({source, plan_body(source, range), map}));
  Cursor cursor(std::move(tokens), map);
  PlanDraft draft;
  draft.parsed.plan.spot = map.spot(range.begin);
  KP_TRY_VOID(read_statements(cursor, draft));
  if (!launches(draft.parsed.plan.steps)) {
    return fail_at(draft.parsed.plan.spot, "the plan launches nothing",
                   "add `launch kernel<<<grid, block>>>(arguments)`");
  }
  draft.parsed.declares_task = !draft.parsed.declaration_lines.empty();
  if (draft.parsed.declares_task) KP_TRY_VOID(finish_declaration(draft));
  return std::move(draft.parsed);
}

}  // namespace kp::task
