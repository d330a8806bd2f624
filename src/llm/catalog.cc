// SPDX-License-Identifier: Apache-2.0
// The only list of chat clients.
#include "llm/catalog.h"

#include <fmt/format.h>

#include <array>

namespace kp::llm {
namespace {

struct Entry {
  std::string_view scheme;
  std::string_view form;  // what follows the colon
  Result<std::unique_ptr<Chat>> (*make)(const std::string&, const ChatOptions&);
};
constexpr std::array kClients{
    Entry{"anthropic", "MODEL[@URL]", make_anthropic},
    Entry{"openai", "MODEL[@URL]", make_openai},
    Entry{"scripted", "FILE", make_scripted},
    Entry{"replay", "FILE", make_replay},
};

std::string known_forms() {
  std::string text;
  for (const Entry& entry : kClients) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ", ", entry.scheme, entry.form);
  }
  return text;
}

}  // namespace

Result<std::unique_ptr<Chat>> make_chat(const std::string& spec, const ChatOptions& options) {
  const std::size_t colon = spec.find(':');
  const std::string_view scheme = std::string_view(spec).substr(0, colon);
  for (const Entry& entry : kClients) {
    if (entry.scheme != scheme) continue;
    if (colon != std::string::npos && colon + 1 < spec.size()) {
      return entry.make(spec.substr(colon + 1), options);
    }
    return fail(ErrorCode::kInvalidInput, fmt::format("`{}` lacks what follows the colon", spec),
                fmt::format("write {}:{}", entry.scheme, entry.form));
  }
  return fail(ErrorCode::kNotFound, fmt::format("no chat client is called `{}`", scheme),
              "use one of: " + known_forms());
}

}  // namespace kp::llm
