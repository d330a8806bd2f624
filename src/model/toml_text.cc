// SPDX-License-Identifier: Apache-2.0
#include "model/toml_text.h"

#include <fmt/format.h>

namespace kp {

Result<toml::table> parse_toml(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    return fail_at({file, static_cast<int>(error.source().begin.line),
                    static_cast<int>(error.source().begin.column)},
                   fmt::format("not valid TOML: {}", error.description()));
  }
}

}  // namespace kp
