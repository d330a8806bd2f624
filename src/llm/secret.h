// SPDX-License-Identifier: Apache-2.0
// A key. It cannot be printed, formatted, compared or stored by accident: only reveal() gives it
// away, and only the writer of a request's headers calls that.
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace kp::llm {

class Secret {
 public:
  Secret() = default;
  /// kInvalidInput when `text` is no key (a blank, a line end, a quote, ...); the error does not
  /// quote it. `origin` says where the key was found.
  static Result<Secret> make(std::string text, std::string_view origin);

  bool empty() const { return text_.empty(); }
  const std::string& reveal() const { return text_; }
  /// `text` with every occurrence of the key replaced.
  std::string redact(std::string_view text) const;
  /// The same for all parts of an error.
  Error redact(Error error) const;

 private:
  explicit Secret(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace kp::llm
