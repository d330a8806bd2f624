// SPDX-License-Identifier: Apache-2.0
// A model behind an HTTP server: attempts, retries, and what the server cannot do without being
// asked again.
#pragma once
#include <memory>

#include "llm/catalog.h"
#include "llm/dialect.h"

namespace kp::llm {

/// `text` is MODEL or MODEL@URL.
Result<std::unique_ptr<Chat>> open_service(std::unique_ptr<Dialect> dialect,
                                           const std::string& text, const ChatOptions& options);

}  // namespace kp::llm
