// SPDX-License-Identifier: Apache-2.0
#include "llm/endpoint.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kp::llm {
namespace {

constexpr const char* kForm =
    "write MODEL@URL with a URL such as http://127.0.0.1:8000/v1 or https://gateway.example/v1";
constexpr std::string_view kPlain = "http://";
constexpr std::string_view kEncrypted = "https://";

/// Where the URL starts, after its @. A model's name may hold an @ too.
std::size_t start_of_url(std::string_view text) {
  const std::size_t at = std::min(text.find("@http://"), text.find("@https://"));
  if (at != std::string_view::npos) return at;
  const std::size_t scheme = text.find("://");
  return scheme == std::string_view::npos ? scheme : text.rfind('@', scheme);
}

bool is_loopback(const std::string& host) {
  in_addr four{};
  in6_addr six{};
  if (host == "localhost") return true;
  if (::inet_pton(AF_INET, host.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24) == 127;
  return ::inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

/// Letters only that every reader of URLs understands in the same way.
bool plain_host(std::string_view host, bool bracketed) {
  const auto fits = [bracketed](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '-' || c == '_' || (bracketed && c == ':');
  };
  return !host.empty() && std::all_of(host.begin(), host.end(), fits);
}

bool plain_path(std::string_view path) {
  return std::all_of(path.begin(), path.end(), [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("/._-~%+:=,").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

struct Authority {
  std::string_view host, port;
  bool bracketed = false;
};

Authority split_authority(std::string_view text) {
  const bool bracketed = text.starts_with('[');
  const std::size_t end = bracketed ? text.find(']') : text.find(':');
  if (bracketed && end == std::string_view::npos) return {};
  const std::string_view host = text.substr(bracketed ? 1 : 0, end - (bracketed ? 1 : 0));
  if (end == std::string_view::npos) return {host, "", bracketed};
  std::string_view rest = text.substr(end + (bracketed ? 1 : 0));
  return {host, rest, bracketed};
}

bool plain_port(std::string_view text) {
  if (text.empty()) return true;
  const auto port = text.starts_with(':') ? parse_integer(text.substr(1)) : std::nullopt;
  return port && *port > 0 && *port < 65536;
}

Result<Endpoint> endpoint_at(std::string_view url) {
  Endpoint endpoint;
  while (url.ends_with('/')) url.remove_suffix(1);
  endpoint.url = url;
  endpoint.encrypted = url.starts_with(kEncrypted);
  const bool known = endpoint.encrypted || url.starts_with(kPlain);
  std::string_view rest =
      known ? url.substr((endpoint.encrypted ? kEncrypted : kPlain).size()) : "";
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const Authority authority = split_authority(rest.substr(0, slash));
  if (!plain_host(authority.host, authority.bracketed) || !plain_port(authority.port) ||
      !plain_path(rest.substr(slash))) {
    return fail(ErrorCode::kInvalidInput,
                fmt::format("`{}` is no address of a server",
                            url.find('@') == std::string_view::npos ? url : "URL"),
                kForm);
  }
  endpoint.host = authority.host;
  endpoint.loopback = is_loopback(endpoint.host);
  return endpoint;
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view text, std::string_view usual_url) {
  const std::size_t at = start_of_url(text);
  KP_TRY(Endpoint endpoint,
         endpoint_at(at == std::string_view::npos ? usual_url : text.substr(at + 1)));
  endpoint.model = text.substr(0, at);
  if (endpoint.model.empty()) {
    return fail(ErrorCode::kInvalidInput, "the model has no name", kForm);
  }
  return endpoint;
}

std::string_view model_of(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  if (colon == std::string_view::npos) return spec;
  const std::string_view rest = spec.substr(colon + 1);
  return rest.substr(0, start_of_url(rest));
}

}  // namespace kp::llm
