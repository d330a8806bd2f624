// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/finding_text.h"
#include "diagnose/tool.h"
#include "propose/llm/feedback.h"
#include "propose/llm/model_tools.h"

namespace kp::propose {
namespace {

bool found_something(const Diagnosis& diagnosis, std::string_view tool) {
  return std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(),
                     [tool](const Finding& finding) { return finding.tool == tool; });
}

/// One tool of the diagnosis at a time.
class DiagnoseTool final : public ModelTool {
 public:
  explicit DiagnoseTool(const Request& request) : request_(request) {}

  llm::Tool about() const override {
    return {"diagnose",
            "Asks an expert tool about the current version's profile. Without `tool`: which tools "
            "there are and which of them found something.",
            {{"type", "object"},
             {"properties", {{"tool", {{"type", "string"}, {"description", "name of a tool"}}}}}}};
  }

  Result<std::string> call(const nlohmann::json& arguments) override {
    if (!request_.diagnosis) return std::string("The current version has not run: no diagnosis.");
    if (!arguments.contains("tool")) return list();
    KP_TRY(const std::string name, text_argument(arguments, "tool"));
    if (name.empty()) return list();
    std::string text;
    for (const Finding& finding : request_.diagnosis->findings) {
      if (finding.tool == name) text += diagnose::to_text(finding);
    }
    if (!text.empty()) return text;
    if (diagnose::find_tool(name)) return name + " found nothing worth saying.";
    return fail(ErrorCode::kNotFound, "no tool is called " + name, "call diagnose without `tool`");
  }

 private:
  std::string list() const {
    const Diagnosis& diagnosis = *request_.diagnosis;
    std::string text = bound_sentence(diagnosis) + "\n";
    for (const auto& tool : diagnose::tools()) {
      const auto about = tool->about();
      text += fmt::format("{}{}: {}\n", about.name,
                          found_something(diagnosis, about.name) ? " (found something)" : "",
                          about.sees);
    }
    return text;
  }

  const Request& request_;
};

/// All that an arm has, at once.
class WholeFeedback final : public ModelTool {
 public:
  WholeFeedback(Arm arm, const Request& request) : arm_(arm), request_(request) {}
  llm::Tool about() const override {
    return {"diagnose",
            "What is known of how the current version ran.",
            {{"type", "object"}, {"properties", nlohmann::json::object()}}};
  }
  Result<std::string> call(const nlohmann::json&) override {
    return matched_feedback(arm_, request_);
  }

 private:
  Arm arm_;
  const Request& request_;
};

}  // namespace

std::unique_ptr<ModelTool> make_diagnose_tool(Arm arm, const Request& request) {
  if (arm == Arm::kNone) return nullptr;
  if (arm == Arm::kTools) return std::make_unique<DiagnoseTool>(request);
  return std::make_unique<WholeFeedback>(arm, request);
}

Result<std::string> text_argument(const nlohmann::json& arguments, const char* name) {
  const auto found = arguments.find(name);
  if (found != arguments.end() && found->is_string()) return found->get<std::string>();
  return fail(ErrorCode::kInvalidInput, fmt::format("the call has no text `{}`", name),
              "see the schema of the tool");
}

}  // namespace kp::propose
