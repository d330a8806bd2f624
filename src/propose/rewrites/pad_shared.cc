// SPDX-License-Identifier: Apache-2.0
// Sees: a static shared array of two or more dimensions whose rows are a multiple of 32 banks long,
// so that
//   the words of a column lie in one bank.
// Does: makes the last dimension one element longer.
// Refuses: dynamic or one-dimensional arrays; arrays whose address is taken, cast or passed on,
// since
//   their layout may matter to somebody.
#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/shared_array.h"

namespace kp::propose {
namespace {

class PadShared final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"pad_shared", diagnose::action::kPadShared,
            "makes the rows of a shared array one element longer",
            "a static shared array of two or more dimensions that is only indexed"};
  }

  RewriteResult apply(const Subject& subject) const override {
    std::vector<Rewritten> versions;
    for (const SharedArray& array : shared_arrays(subject.tree)) {
      // An odd last dimension is padded already.
      if (array.sizes.size() < 2 || array.last_size.value_or(0) % 2 != 0) continue;
      if (!indexed_uses(subject.tree, array)) continue;
      Edits edits;
      edits.insert(array.sizes.back().end(), " + 1");
      versions.push_back({edits.apply(subject.tree.source()),
                          "pads " + array.name +
                              " by one column, so that a column's words lie in different banks"});
    }
    if (versions.empty())
      return Refusal{"no static shared array of two dimensions is only indexed"};
    return versions;
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_pad_shared() { return std::make_unique<PadShared>(); }

}  // namespace kp::propose
