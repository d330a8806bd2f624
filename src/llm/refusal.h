// SPDX-License-Identifier: Apache-2.0
// What an answer that is no success means.
#pragma once
#include "llm/endpoint.h"
#include "llm/keys.h"
#include "llm/transfer.h"

namespace kp::llm {

/// `answer.status` is not 2xx.
Trouble trouble_of(const Answer& answer, const Endpoint& endpoint, const KeyName& key);

}  // namespace kp::llm
