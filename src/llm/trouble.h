// SPDX-License-Identifier: Apache-2.0
// Why one attempt at a call failed, and whether another one may help.
#pragma once
#include <chrono>
#include <optional>
#include <tl/expected.hpp>

#include "base/result.h"

namespace kp::llm {

struct Trouble {
  Error error;
  bool passing = false;                           // another attempt may help
  std::optional<std::chrono::milliseconds> wait;  // what the server asks for
};

template <class T>
using Attempt = tl::expected<T, Trouble>;

inline tl::unexpected<Trouble> lasting(ErrorCode code, std::string message, std::string hint = {}) {
  return tl::unexpected(
      Trouble{Error{code, std::move(message), std::move(hint), {}, {}}, false, std::nullopt});
}
inline tl::unexpected<Trouble> passing(ErrorCode code, std::string message, std::string hint = {}) {
  return tl::unexpected(
      Trouble{Error{code, std::move(message), std::move(hint), {}, {}}, true, std::nullopt});
}

/// What a call answers that was asked to stop.
Trouble stopped();

}  // namespace kp::llm
