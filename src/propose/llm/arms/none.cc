// SPDX-License-Identifier: Apache-2.0
// The verdict alone.
#include "propose/llm/feedback.h"

namespace kp::propose {
namespace {

class None final : public Feedback {
 public:
  Arm arm() const override { return Arm::kNone; }
  Result<std::string> text(const Request&) const override { return std::string(); }
};

}  // namespace

std::unique_ptr<Feedback> make_none_arm() { return std::make_unique<None>(); }

}  // namespace kp::propose
