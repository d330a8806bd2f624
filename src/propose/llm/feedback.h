// SPDX-License-Identifier: Apache-2.0
// The arms: what a model is told about how the parent ran. One file each in arms/; feedback.cc is
// the only list.
#pragma once
#include <memory>
#include <string>

#include "propose/proposer.h"

namespace kp::propose {

class Feedback {
 public:
  virtual ~Feedback() = default;
  virtual Arm arm() const = 0;
  /// The section of the prompt, empty when there is nothing to tell. Errors: the profile lacks what
  /// the arm shows, with what to do about it.
  virtual Result<std::string> text(const Request& request) const = 0;
};

const Feedback& feedback_of(Arm arm);

/// What the arm tells, of the length of what `tools` would tell of the same node: longer text loses
/// its end, shorter text gets sentences that say nothing of the kernel. Within 10 %.
Result<std::string> matched_feedback(Arm arm, const Request& request);

/// Findings with a heading and the gate's sentence; `lines_of`: whose source lines are quoted where
/// a finding names them, or null.
std::string findings_text(const Diagnosis& diagnosis, const Candidate* lines_of);

/// "memory-bound: the work has ...": what the gate says.
std::string bound_sentence(const Diagnosis& diagnosis);

/// `text` with about `tokens`: cut at a line end or filled up with neutral sentences.
std::string with_length(const std::string& text, std::size_t tokens);

std::unique_ptr<Feedback> make_tools_arm();
std::unique_ptr<Feedback> make_raw_arm();
std::unique_ptr<Feedback> make_ncu_arm();
std::unique_ptr<Feedback> make_placebo_arm();
std::unique_ptr<Feedback> make_none_arm();

}  // namespace kp::propose
