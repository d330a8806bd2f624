// SPDX-License-Identifier: Apache-2.0
// The work of a thread that handles one row, shared out to a group of lanes: what the lanes take
// turns in, of which arrays each keeps a share, and which rows of other arrays the whole block
// needs at the same time. Used by the rewrites that split or stage rows.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "propose/deal.h"
#include "propose/elementwise.h"
#include "propose/rewrite.h"

namespace kp::propose {

/// A local array of which each lane keeps a share.
struct SharedOut {
  std::string name;
  SyntaxNode size;
  std::int64_t extent = 0;
};

/// A loop of constant length whose turns the lanes of a group take.
struct Dealt {
  DealtLoop deal;
  std::int64_t turns = 0;
  std::vector<SyntaxNode> elements;  // uses of arrays that are shared out
};

/// `p[j * S + d]` with d the index of a dealt loop, j that of the loop around it, and nothing else
/// that differs between threads: one row of p at a time, the same for all threads of the block.
struct BlockRow {
  std::string pointer, element;  // parameter; its element type
  unsigned element_bytes = 0;
  std::int64_t length = 0;       // of the row, elements
  std::string index;             // name of d
  std::vector<SyntaxNode> uses;  // the loads, all of one text
};

/// A loop over rows that a block may load together.
struct RowLoop {
  CountedLoop loop;
  bool uniform = false;  // all threads end at the same row
  std::vector<BlockRow> rows;
};

class RowSplit {
 public:
  RowSplit(const Subject& subject, const Elementwise& shape);

  /// False when something does not fit; then why() says what.
  bool analyse();
  const std::string& why() const { return why_; }

  const std::vector<SharedOut>& arrays() const { return arrays_; }
  const std::vector<Dealt>& dealt() const { return dealt_; }
  /// Statements that store outside of dealt loops.
  const std::vector<SyntaxNode>& single() const { return single_; }
  /// Numbers of lanes that divide every dealt loop, best first.
  std::vector<std::int64_t> lanes() const;
  /// The first loop over rows that a block needs together; nothing when there is none.
  std::optional<RowLoop> row_loop() const;

 private:
  bool no(std::string why);
  bool find_arrays();
  bool visit(const SyntaxNode& statement);
  bool visit_declaration(const SyntaxNode& declaration);
  bool visit_loop(const SyntaxNode& statement);
  bool visit_expression(const SyntaxNode& statement);
  Dealt* loop_around(const SyntaxNode& node);
  bool check_arrays();
  bool check_memory();
  bool check_built_ins();

  const Subject& subject_;
  const SourceTree& tree_;
  const Elementwise& shape_;
  std::string why_;
  std::vector<SharedOut> arrays_;
  std::vector<Dealt> dealt_;
  std::vector<SyntaxNode> single_;
};

/// Versions of the first kernel that can be split: with rows staged through shared memory first,
/// without only where `unstaged`. A refusal when there are none.
RewriteResult split_rows(const Subject& subject, bool unstaged);

}  // namespace kp::propose
