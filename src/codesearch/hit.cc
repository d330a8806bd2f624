// SPDX-License-Identifier: Apache-2.0
#include "codesearch/hit.h"

#include <nlohmann/json.hpp>

namespace kp::codesearch {

nlohmann::json to_json(const Hit& hit) {
  return {{"path", hit.path},           {"first_line", hit.first_line},
          {"last_line", hit.last_line}, {"score", hit.score},
          {"symbols", hit.symbols},     {"excerpt_line", hit.excerpt_line},
          {"excerpt", hit.excerpt}};
}

nlohmann::json to_json(const Passage& passage) {
  return {{"path", passage.path},
          {"first_line", passage.first_line},
          {"last_line", passage.last_line},
          {"lines", passage.lines},
          {"text", passage.text}};
}

}  // namespace kp::codesearch
