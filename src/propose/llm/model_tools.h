// SPDX-License-Identifier: Apache-2.0
// What a model may call while it writes.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "llm/chat.h"
#include "propose/llm/code_source.h"
#include "propose/proposer.h"

namespace kp::propose {

class ModelTool {
 public:
  virtual ~ModelTool() = default;
  virtual llm::Tool about() const = 0;
  /// An error goes to the model as the result of its call; it ends nothing.
  virtual Result<std::string> call(const nlohmann::json& arguments) = 0;
};
using ModelTools = std::vector<std::unique_ptr<ModelTool>>;

/// `diagnose`: without a name the list of diagnosis tools and which of them found something; with
/// one what that tool found. With any other arm than `tools` it tells all that the arm has. Null
/// for the arm `none`. The request must outlive it.
std::unique_ptr<ModelTool> make_diagnose_tool(Arm arm, const Request& request);

/// `search_code` and `read_code`; files that were read are added to `sources`. Both must outlive
/// them.
ModelTools make_code_tools(CodeSource& source, std::vector<std::string>& sources);

/// The member as text, or an error that says what the call needs.
Result<std::string> text_argument(const nlohmann::json& arguments, const char* name);

}  // namespace kp::propose
