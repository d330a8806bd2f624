// SPDX-License-Identifier: Apache-2.0
// Drafts a single-file task from an existing CUDA file: what can be found by looking (signatures,
// launches, allocations, copies, constants) is found; what cannot becomes a question with a
// default. Used by `kernelpro init`.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "model/expr.h"

namespace kp::draft {

struct Question {
  std::string about;    // "axis n", "output y", "launch scale"
  std::string text;     // one sentence
  std::string assumed;  // what the draft says until somebody answers
};

struct Draft {
  std::string source;  // a whole file: plan and device code
  std::vector<std::string> kernels;
  std::vector<Question> questions;
};

struct Request {
  std::string source;
  std::string file;    // for messages
  std::string kernel;  // the only one to draft; empty: every kernel that the file launches
  Bindings axes;       // answers: extents by name
};

/// Errors: the file has a plan already, has no kernel (of that name), or a parameter has a type
/// that no tensor or scalar of a plan can hold.
Result<Draft> draft_task(const Request& request);

}  // namespace kp::draft
