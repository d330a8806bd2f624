// SPDX-License-Identifier: Apache-2.0
#include "mcp/code_shelf.h"
#include "mcp/schema.h"
#include "mcp/tools/tools.h"

namespace kp::mcp {
namespace {

using nlohmann::json;

constexpr int kUsualHits = 8;

Result<json> search(CodeShelf& shelf, const json& arguments) {
  KP_TRY(auto* const index, shelf.index());
  KP_TRY(const auto hits, index->search(arguments["query"].get<std::string>(),
                                        arguments.value("limit", kUsualHits)));
  json found = json::array();
  for (const codesearch::Hit& hit : hits) found.push_back(to_json(hit));
  return json{{"hits", found}};
}

}  // namespace

Tool make_search_code(std::shared_ptr<CodeShelf> shelf) {
  json limit = integer("how many, the best first; default 8", 1);
  limit["maximum"] = codesearch::kMostHits;
  return {
      "search_code",
      "Search source code",
      "Pieces of the source trees that the server was started with (--code-root), such as a "
      "checkout of CUTLASS, that answer a query in plain words or names.",
      object_schema({{"query", text("words or names")}, {"limit?", limit}}),
      object_schema(
          {{"hits", list_of(object_schema({{"path", text("for read_code")},
                                           {"first_line", integer("of the piece", 1)},
                                           {"last_line", integer("of the piece", 1)},
                                           {"score", number("larger is better")},
                                           {"symbols", list_of(text("defined there"))},
                                           {"excerpt_line", integer("where the excerpt begins", 0)},
                                           {"excerpt", text("the lines that match best")}}))}}),
      true,
      false,
      [shelf](const json& arguments, Call&) { return search(*shelf, arguments); }};
}

}  // namespace kp::mcp
