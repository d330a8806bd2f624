// SPDX-License-Identifier: Apache-2.0
// Sees: a thread for each element or column whose warps load 32 of them from wherever a row begins,
//   which is inside of a sector for most rows.
// Does: gives each warp 4 or 2 stretches of 32 that lie side by side: the sector that two of them
//   share comes once, and their loads are on their way together (several_elements.h).
// Refuses: kernels of another shape; threads that talk to each other or know their place but by
//   their element; arrays that are loaded and stored; a grid that is not ceil_div(.., ..) along x.
#include "propose/catalog.h"
#include "propose/launches.h"
#include "propose/several_elements.h"

namespace kp::propose {
namespace {

class LongerStretches final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"longer_stretches", diagnose::action::kAlignRows,
            "gives each warp several stretches of 32 elements that lie side by side",
            "a thread for each element or column, which meets others nowhere, on ceil_div(n, "
            "block) blocks of whole warps"};
  }

  RewriteResult apply(const Subject& subject) const override {
    std::vector<Rewritten> versions;
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      if (!concerns(subject, kernel)) continue;
      for (const int count : {4, 2}) {
        if (auto version = several_elements(subject, kernel, count))
          versions.push_back(*std::move(version));
      }
    }
    if (versions.empty()) {
      return Refusal{"no kernel gives an element or a column to each thread and nothing else"};
    }
    return versions;
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_longer_stretches() { return std::make_unique<LongerStretches>(); }

}  // namespace kp::propose
