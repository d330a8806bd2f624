// SPDX-License-Identifier: Apache-2.0
// Sees: what split_row sees, where the loop around goes over rows of other arrays that all threads
//   of a block read at the same time, as in attention or a search for neighbours.
// Does: what split_row does, and lets the block load those rows together, many at a time, into
//   shared memory.
// Refuses: what split_row refuses; rows whose place differs between the threads of a block.
#include "propose/catalog.h"
#include "propose/row_split.h"

namespace kp::propose {
namespace {

class StageRows final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"stage_rows", diagnose::action::kReuseThroughShared,
            "lets a block load the rows that all its threads read into shared memory, and several "
            "lanes handle a row",
            "one thread for each row, a loop over other rows whose place does not depend on the "
            "thread, and loops of constant length over their elements"};
  }
  RewriteResult apply(const Subject& subject) const override { return split_rows(subject, false); }
};

}  // namespace

std::unique_ptr<Rewrite> make_stage_rows() { return std::make_unique<StageRows>(); }

}  // namespace kp::propose
