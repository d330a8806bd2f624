// SPDX-License-Identifier: Apache-2.0
// Which model at which address: what follows "anthropic:" or "openai:".
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace kp::llm {

struct Endpoint {
  std::string model;
  std::string url;  // without a slash at the end: "https://api.openai.com/v1"
  std::string host;
  bool encrypted = false;  // https
  bool loopback = false;   // this machine
};

/// MODEL or MODEL@URL; `usual_url` where no URL is given. kInvalidInput for an empty model, a URL
/// that is not http or https, or one with a user, a query or a fragment.
Result<Endpoint> parse_endpoint(std::string_view text, std::string_view usual_url);

/// The MODEL of "CLIENT:MODEL" or "CLIENT:MODEL@URL".
std::string_view model_of(std::string_view spec);

}  // namespace kp::llm
