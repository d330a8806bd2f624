// SPDX-License-Identifier: Apache-2.0
// How a failing world is reported. A function that can fail for a reason outside the program (file,
// process, database, missing GPU, user input) returns Result<T>. A bad kernel is not an error: it
// is an Evaluation. A bug in KernelPro is KP_CHECK (check.h).
#pragma once
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace kp {

enum class ErrorCode {
  kInvalidInput,  // what the user wrote cannot be used
  kNotFound,
  kIo,  // the operating system refused a read or a write
  kTimeout,
  kUnavailable,  // a tool or device that this machine lacks
  kUnsupported,  // understood, but not done (yet, or on this device)
  kCorrupt,      // stored bytes do not mean what they should
  kBusy,         // somebody else holds the lease
  kLimit,        // memory, disk or another bound is exhausted
};

/// A place in a text that a person can open. Lines and columns count from 1; 0 means unknown.
struct SourceSpot {
  std::string file;
  int line = 0;
  int column = 0;
  bool operator==(const SourceSpot&) const = default;
};

/// `file:line:column`, leaving out what is unknown.
std::string to_string(const SourceSpot& spot);

struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::kInvalidInput;
  std::string message;  // what happened, one sentence without a final full stop
  std::string hint;     // what the user can do; may be empty
  SourceSpot spot;      // where in the user's text; may be empty
  std::string context;  // what was being done, outermost first: "open run store: migrate"

  /// The same error with `what` put in front of its context.
  Error within(std::string_view what) &&;
  /// `spot: context: message`, then the hint on a line of its own (`hint: ...`).
  std::string text() const;
};

template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using value_type = T;
  using tl::expected<T, Error>::expected;
  Result(tl::unexpected<Error> error) : tl::expected<T, Error>(std::move(error)) {}  // NOLINT

  /// On failure, the same failure with `what` put in front of its context.
  Result within(std::string_view what) && {
    if (*this) return std::move(*this);
    return tl::unexpected<Error>(std::move(this->error()).within(what));
  }
};

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(hint), {}, {}});
}
inline tl::unexpected<Error> fail_at(SourceSpot spot, std::string message, std::string hint = {}) {
  return tl::unexpected<Error>(
      Error{ErrorCode::kInvalidInput, std::move(message), std::move(hint), std::move(spot), {}});
}

}  // namespace kp

#define KP_JOIN_(a, b) a##b
#define KP_JOIN(a, b) KP_JOIN_(a, b)
#define KP_TRY_(tmp, decl, ...)                                           \
  auto tmp = (__VA_ARGS__);                                               \
  if (!tmp) return ::tl::unexpected<::kp::Error>(std::move(tmp).error()); \
  decl = *std::move(tmp)
/// `KP_TRY(auto x, f());` declares x from f's value, or returns f's error from this function.
#define KP_TRY(decl, ...) KP_TRY_(KP_JOIN(kp_try_, __COUNTER__), decl, __VA_ARGS__)
/// The same for a Result<void>.
#define KP_TRY_VOID(...)                                                                    \
  do {                                                                                      \
    auto kp_try_void = (__VA_ARGS__);                                                       \
    if (!kp_try_void) return ::tl::unexpected<::kp::Error>(std::move(kp_try_void).error()); \
  } while (false)
