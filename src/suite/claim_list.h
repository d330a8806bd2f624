// SPDX-License-Identifier: Apache-2.0
// A published set of candidates: which file answers which problem, what was claimed for it, and
// what is known already.
#pragma once
#include <string>
#include <vector>

#include "suite/judge_claim.h"

namespace kp::suite {

struct ClaimSources {
  std::vector<Path> candidates;  // Python files, or folders that hold them
  Path tasks;                    // one problem, or a folder of problems
  Path claimed;                  // {"25_Swish": 3.1}: speedups by the name of a file; may be empty
};
struct ClaimList {
  std::vector<ClaimRequest> requests;
  std::vector<Path> strangers;  // candidates without a problem
};

/// A candidate answers the problem of the same file name, or of the level and number in
/// "level_1_problem_25_sample_0_kernel.py", as KernelBench names what it generates. With one
/// problem all candidates answer it. kInvalidInput when the claimed speedups are no such object.
Result<ClaimList> list_claims(const ClaimSources& sources);

/// One claim a line; a file that is not there holds none. kCorrupt names the line.
Result<std::vector<Claim>> read_claims(const Path& file);
Result<void> write_claims(const Path& file, const std::vector<Claim>& claims);

}  // namespace kp::suite
