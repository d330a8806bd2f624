// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tools_json.h"
#include "mcp/schema.h"
#include "mcp/tools/tools.h"

namespace kp::mcp {

using nlohmann::json;

Tool make_list_tools() {
  return {"list_tools",
          "The diagnosis tools",
          "The heuristics behind the findings: what each sees, which kernels it speaks about, what "
          "it needs, why that costs, what it advises and when it misleads.",
          object_schema({}),
          object_schema({{"tools", list_of(object_schema(
                                       {{"name", text("as in findings")},
                                        {"sees", text("its trigger")},
                                        {"costs", text("why that is slow")},
                                        {"tries", text("what it advises")},
                                        {"misleads", text("when not to believe it")},
                                        {"source", text("where the heuristic comes from")},
                                        {"speaks_about", list_of(text("class of kernels"))},
                                        {"needs", list_of(text("metric"))},
                                        {"origin", text("built in, or a file of the user")}}))}}),
          true,
          false,
          [](const json&, Call&) -> Result<json> {
            return json{{"tools", diagnose::tools_json()}};
          }};
}

}  // namespace kp::mcp
