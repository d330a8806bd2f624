// SPDX-License-Identifier: Apache-2.0
// Where the files of a problem lie: our folders and those of SOL-ExecBench, data sets of
// FlashInfer-Bench, and the flat form in which a run keeps one of their problems.
#pragma once
#include <string>
#include <vector>

#include "base/file.h"

namespace kp::task {

struct ProblemFiles {
  Path path;  // what the task is called by
  Path definition, workloads;
  Path reference, device_reference, baseline;  // each need not exist
  std::vector<Path> roots;                     // what paths of data may be relative to, in order
  bool single = false;  // a definition in a file of its own, as in data sets of FlashInfer-Bench
};

/// `folder` has a definition.json, or it is a data set with a single definition. Errors say which
/// file is missing, or which definitions there are.
Result<ProblemFiles> files_in(const Path& folder);

/// The definition named by its file: definitions/OP/NAME.json of a data set, NAME.json beside
/// NAME.jsonl, or definition.json beside workload.jsonl.
Result<ProblemFiles> files_of(const Path& definition);

}  // namespace kp::task
