// SPDX-License-Identifier: Apache-2.0
#include "report/diff.h"

#include "base/child.h"
#include "base/file.h"

namespace kp::report {

Result<std::string> unified_diff(const std::string& before, const std::string& after) {
  KP_TRY(const auto folder, TemporaryFolder::make());
  KP_TRY_VOID(write_file(folder.path() / "before.cu", before));
  KP_TRY_VOID(write_file(folder.path() / "after.cu", after));
  ChildSpec spec;
  spec.command = {"diff", "-u", "--label", "before", "--label", "after", "before.cu", "after.cu"};
  spec.folder = folder.path();
  spec.deadline = std::chrono::seconds(10);
  KP_TRY(const auto exit, run_child(spec));
  if (exit.code > 1 || exit.code < 0) {
    return fail(ErrorCode::kIo, "diff failed: " + exit.error_output);
  }
  return exit.output;
}

std::string change_of(const RunView& run, int node) {
  const NodeView& after = run.at(node);
  if (!after.proposal || !after.node.parent) return "";
  const NodeView& before = run.at(*after.node.parent);
  return unified_diff(before.proposal ? before.proposal->source : "", after.proposal->source)
      .value_or("");
}

}  // namespace kp::report
