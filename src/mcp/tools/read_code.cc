// SPDX-License-Identifier: Apache-2.0
#include "mcp/code_shelf.h"
#include "mcp/schema.h"
#include "mcp/tools/tools.h"

namespace kp::mcp {
namespace {

using nlohmann::json;

Result<json> read(CodeShelf& shelf, const json& arguments) {
  KP_TRY(auto* const index, shelf.index());
  KP_TRY(const auto passage,
         index->read(arguments["path"].get<std::string>(), arguments["first"].get<int>(),
                     arguments["last"].get<int>()));
  return to_json(passage);
}

}  // namespace

Tool make_read_code(std::shared_ptr<CodeShelf> shelf) {
  json first = integer("line to begin with, from 1", 1), last = integer("last line", 1);
  first["maximum"] = last["maximum"] = std::numeric_limits<int>::max();
  return {
      "read_code",
      "Read source code",
      "Lines of a file that search_code found, at most 400. Reads nothing outside of the "
      "source trees.",
      object_schema({{"path", text("as search_code gives it")}, {"first", first}, {"last", last}}),
      object_schema({{"path", text("the file")},
                     {"first_line", integer("of the text", 1)},
                     {"last_line", integer("of the text", 0)},
                     {"lines", integer("of the whole file", 0)},
                     {"text", text("the lines")}}),
      true,
      false,
      [shelf](const json& arguments, Call&) { return read(*shelf, arguments); }};
}

}  // namespace kp::mcp
