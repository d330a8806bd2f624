// SPDX-License-Identifier: Apache-2.0
// Where keys come from: the environment, or a file that nobody else can read. A key is sent to the
// host that it was found for and to no other.
//
// The file is $KERNELPRO_KEYS, else $XDG_CONFIG_HOME/kernelpro/keys.toml, else
// ~/.config/kernelpro/keys.toml:
//
//     anthropic = "..."
//     openai = "..."
//     [hosts]
//     "gateway.example" = "..."
#pragma once
#include <string>

#include "llm/endpoint.h"
#include "llm/secret.h"

namespace kp::llm {

/// What a dialect calls its key.
struct KeyName {
  const char* variable;  // "ANTHROPIC_API_KEY"
  const char* entry;     // "anthropic"
};

/// The host's own entry in the file, else the variable, else the dialect's entry; a variable that
/// is set to nothing means "no key". Empty where none is found and none is needed: on this machine,
/// and over http. kInvalidInput when a key is missing, would travel unencrypted, or the file could
/// be read by others.
Result<Secret> find_key(const KeyName& name, const Endpoint& endpoint);

}  // namespace kp::llm
