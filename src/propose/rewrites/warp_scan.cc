// SPDX-License-Identifier: Apache-2.0
// Sees: an inclusive scan over a shared array of one value for each thread, whose reach doubles in
//   each step between two barriers (Hillis and Steele).
// Does: scans each warp by shuffles and adds the sum of the warps before it: two barriers instead
// of
//   two for each step.
// Refuses: loops of another form, operations other than sums, blocks that are no whole warps or
// have
//   another size than the scan.
#include <fmt/format.h>

#include <algorithm>

#include "propose/catalog.h"
#include "propose/collectives.h"
#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/flat_block.h"
#include "propose/launches.h"
#include "propose/loops.h"
#include "propose/statements.h"

namespace kp::propose {
namespace {

struct Scan {
  SyntaxNode loop;
  std::string array, type, thread;
};

/// `for (int d = 1; d < size; d *= 2)`: the name of d, or nothing.
std::string doubling_variable(const SyntaxNode& loop, const FlatBlock& block) {
  const SyntaxNode initialiser = loop.field("initializer");
  const SyntaxNode declarator = initialiser.field("declarator");
  const SyntaxNode condition = without_parentheses(loop.field("condition"));
  const std::string d(declarator.field("declarator").text());
  const std::string update = squeezed(loop.field("update").text());
  const bool doubles = update == d + "*=2" || update == d + "<<=1" ||
                       update == d + "=" + d + "*2" || update == d + "+=" + d;
  const bool fits = initialiser.type() == "declaration" &&
                    declarator.field("value").text() == "1" && doubles &&
                    operator_of(condition) == "<" && condition.field("left").text() == d &&
                    block.is_size(condition.field("right"));
  return fits ? d : "";
}

/// The texts that a step may have, without blanks; $ stands for the value that was read.
std::vector<std::string> known_steps(const std::string& type, const std::string& value,
                                     const std::string& a, const std::string& t,
                                     const std::string& d) {
  const std::string sync = "__syncthreads();", own = a + "[" + t + "]";
  const std::string below = a + "[" + t + "-" + d + "]", test = t + ">=" + d;
  const std::string add = own + "+=" + value + ";" + sync;
  std::vector<std::string> known;
  for (const std::string zero : {"0", "0.0f", "0.f", "0.0", "0u"}) {
    const std::string start =
        type + value + "=" + zero + ";if(" + test + ")" + value + "=" + below + ";";
    for (const std::string& last : {add, "if(" + test + ")" + add}) {
      known.push_back(start + sync + last);
      for (const std::string& condition : {test, "(" + test + ")"}) {
        known.push_back(type + value + "=" + condition + "?" + below + ":" + zero + ";" + sync +
                        last);
      }
    }
  }
  known.push_back(type + value + ";if(" + test + ")" + value + "=" + below + ";" + sync + "if(" +
                  test + ")" + add);
  known.push_back(type + value + "=" + own + ";if(" + test + ")" + value + "+=" + below + ";" +
                  sync + own + "=" + value + ";" + sync);
  return known;
}

std::string without_braces(std::string text) {
  // { x; } of a single statement in an if reads the same without them.
  std::erase_if(text, [](char c) { return c == '{' || c == '}'; });
  return text;
}

std::optional<Scan> match_scan(const SourceTree& tree, const SyntaxNode& function,
                               const FlatBlock& block, const SyntaxNode& loop) {
  const std::string d = doubling_variable(loop, block);
  const auto body = statements_of(loop.field("body"));
  if (d.empty() || body.size() < 4 || body.front().type() != "declaration") return std::nullopt;
  Scan scan{loop, "", std::string(body.front().field("type").text()), ""};
  SyntaxNode name = body.front().field("declarator");
  if (name.type() == "init_declarator") name = name.field("declarator");
  for (const SyntaxNode& assignment : tree.all(loop.field("body"), "assignment_expression")) {
    const SyntaxNode target = assignment.field("left");
    const auto indices = target.field("indices").children();
    if (target.type() != "subscript_expression" || indices.size() != 1) continue;
    if (!block.is_thread(indices.front())) return std::nullopt;
    scan.array = target.field("argument").text();
    scan.thread = squeezed(indices.front().text());
  }
  std::string text;
  for (const SyntaxNode& statement : body) text += squeezed(statement.text());
  if (text.starts_with("const")) text = text.substr(5);
  const auto known =
      known_steps(squeezed(scan.type), std::string(name.text()), scan.array, scan.thread, d);
  const SyntaxNode declaration = declaration_of(tree, function, scan.array);
  const bool fits = std::find(known.begin(), known.end(), without_braces(text)) != known.end();
  const bool shared = declaration.text().find("__shared__") != std::string_view::npos;
  return fits && shared && declaration.field("type").text() == scan.type && can_shuffle(scan.type)
             ? std::optional(scan)
             : std::nullopt;
}

class WarpScan final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"warp_scan", diagnose::action::kWarpShuffle,
            "replaces a block scan with barriers in each step by warp shuffles",
            "an inclusive sum over one shared value for each thread of a one-dimensional block of "
            "whole warps, in steps that double their reach"};
  }

  RewriteResult apply(const Subject& subject) const override {
    const SourceTree& tree = subject.tree;
    for (const SyntaxNode& function : tree.all(tree.root(), "function_definition")) {
      if (!concerns(subject, function)) continue;
      const auto block = FlatBlock::of(subject, function);
      if (!block || !block->has_whole_warps()) continue;
      for (const SyntaxNode& loop : tree.all(function.field("body"), "for_statement")) {
        const auto scan = match_scan(tree, function, *block, loop);
        if (scan && loop.parent().type() == "compound_statement")
          return std::vector{write(tree, function, *scan)};
      }
    }
    return Refusal{
        "no one-dimensional block of whole warps scans a shared array in steps that "
        "double their reach"};
  }

 private:
  static Rewritten write(const SourceTree& tree, const SyntaxNode& function, const Scan& scan) {
    Collectives collectives(tree, function);
    const std::string own = scan.array + "[" + scan.thread + "]";
    Edits edits;
    edits.replace(scan.loop, fmt::format("{} = {};\n  __syncthreads();", own,
                                         collectives.scan_of_block(Combine::kAdd, scan.type, own)));
    // The barrier before the loop let others read the value; now only its owner does.
    for (const SyntaxNode& statement : scan.loop.parent().children()) {
      const std::size_t next = tree.source().find_first_not_of(" \t\n", statement.end());
      if (is_block_barrier(statement) && next == scan.loop.begin())
        edits.replace(statement.begin(), next, "");
    }
    collectives.insert_into(edits);
    return {edits.apply(tree.source()),
            fmt::format("scans {} of {} by warp shuffles instead of steps with barriers",
                        scan.array, name_of_kernel(function))};
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_warp_scan() { return std::make_unique<WarpScan>(); }

}  // namespace kp::propose
