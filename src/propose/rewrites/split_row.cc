// SPDX-License-Identifier: Apache-2.0
// Sees: a kernel in which one thread handles one row with loops of constant length over the
//   elements of the row, often inside a loop over other rows, so that there are few threads and
//   each has long chains of dependent work.
// Does: lets a group of lanes handle a row: each lane takes every LANES-th turn of those loops and
//   keeps its share of local arrays; sums are combined by shuffles within the group, and one lane
//   stores what is stored outside the loops. Everything else each lane of the group does alike.
// Refuses: loops whose turns depend on each other; local arrays that are used in any other way than
//   one element a turn; memory that is stored and loaded; blocks that are not whole warps.
#include "propose/catalog.h"
#include "propose/row_split.h"

namespace kp::propose {
namespace {

class SplitRow final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"split_row", diagnose::action::kMoreBlocks,
            "lets several lanes handle a row that one thread handled, each with a share of its "
            "elements",
            "one thread for each row, and loops of constant length over its elements whose turns "
            "do not depend on each other"};
  }
  RewriteResult apply(const Subject& subject) const override { return split_rows(subject, true); }
};

}  // namespace

std::unique_ptr<Rewrite> make_split_row() { return std::make_unique<SplitRow>(); }

}  // namespace kp::propose
