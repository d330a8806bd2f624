// SPDX-License-Identifier: Apache-2.0
#include "model/json_schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace kp {
namespace {

/// The library puts the outermost complaint first; the innermost says what to change.
std::string complaint(valijson::ValidationResults& results) {
  std::string said = "it does not fit the schema";
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    std::string place;
    for (const std::string& step : error.context) place += step;
    said = fmt::format("{}: {}", place, error.description);
  }
  return said;
}

}  // namespace

Result<void> check_against(const nlohmann::json& value, const nlohmann::json& schema,
                           std::string hint) {
  valijson::Schema parsed;
  valijson::SchemaParser parser;
  parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(schema), parsed);
  valijson::Validator validator;
  valijson::ValidationResults results;
  if (validator.validate(parsed, valijson::adapters::NlohmannJsonAdapter(value), &results)) {
    return {};
  }
  return fail(ErrorCode::kInvalidInput, complaint(results), std::move(hint));
}

}  // namespace kp
