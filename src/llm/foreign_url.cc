// SPDX-License-Identifier: Apache-2.0
#include "llm/catalog.h"
#include "llm/dialect.h"
#include "llm/endpoint.h"

namespace kp::llm {
namespace {

std::string host_of(std::string_view url) {
  const auto endpoint = parse_endpoint("model", url);
  return endpoint ? endpoint->host : "";
}

}  // namespace

std::optional<std::string> foreign_url(const std::string& spec) {
  for (const auto& dialect : {make_anthropic_dialect(), make_openai_dialect()}) {
    const std::string scheme = std::string(dialect->facts().client) + ":";
    if (!spec.starts_with(scheme)) continue;
    const std::string_view usual = dialect->facts().usual_url;
    // What cannot be read is refused where the chat is made, before anything is sent.
    const auto endpoint = parse_endpoint(spec.substr(scheme.size()), usual);
    if (!endpoint || endpoint->loopback || endpoint->host == host_of(usual)) return std::nullopt;
    return endpoint->url;
  }
  return std::nullopt;
}

}  // namespace kp::llm
