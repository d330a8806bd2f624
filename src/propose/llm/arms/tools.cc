// SPDX-License-Identifier: Apache-2.0
// The findings of the diagnosis: what was seen, what it costs, what to do, how much that can bring.
#include "propose/llm/feedback.h"

namespace kp::propose {
namespace {

class Tools final : public Feedback {
 public:
  Arm arm() const override { return Arm::kTools; }
  Result<std::string> text(const Request& request) const override {
    return request.diagnosis ? findings_text(*request.diagnosis, request.parent) : std::string();
  }
};

}  // namespace

std::unique_ptr<Feedback> make_tools_arm() { return std::make_unique<Tools>(); }

}  // namespace kp::propose
