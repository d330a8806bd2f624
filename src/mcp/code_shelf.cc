// SPDX-License-Identifier: Apache-2.0
#include "mcp/code_shelf.h"

namespace kp::mcp {
namespace {

// Looking for changed files takes a third of a second for a checkout of CUTLASS
// (docs/codesearch.md).
constexpr std::chrono::seconds kFresh{30};

}  // namespace

Result<codesearch::Index*> CodeShelf::index() {
  if (roots_.empty()) {
    return fail(ErrorCode::kInvalidInput, "there is no source tree to search",
                "start the server with --code-root DIR, or set KERNELPRO_CUTLASS");
  }
  const auto now = std::chrono::steady_clock::now();
  if (index_ && now - refreshed_ < kFresh) return &*index_;
  if (!index_) {
    KP_TRY(index_, codesearch::Index::open(roots_));
  }
  KP_TRY_VOID(index_->refresh());
  refreshed_ = now;
  return &*index_;
}

}  // namespace kp::mcp
