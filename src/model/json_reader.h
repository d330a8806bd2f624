// SPDX-License-Identifier: Apache-2.0
// Reads the members of stored JSON objects. Used by the *_json.cc files here: they read member
// after member and ask once at the end whether all was well.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace kp {

/// Numbers that JSON cannot hold (NaN, infinities) are kept as the strings "nan", "inf", "-inf".
nlohmann::json json_number(double value);

/// What is not known is null.
template <class T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

/// One object and where it stands in its document. The first fault of the whole document is kept in
/// the Error that all readers of it share; after a fault, reads return empty values.
class JsonReader {
 public:
  using Fault = std::optional<Error>;
  JsonReader(const nlohmann::json& object, std::string where, Fault& fault);

  bool has(const char* key) const;  // present and not null
  double number(const char* key) const;
  std::int64_t integer(const char* key) const;
  bool flag(const char* key) const;
  std::string text(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  JsonReader object(const char* key) const;
  /// Calls `read` for each element of an array of objects.
  void each(const char* key, const std::function<void(const JsonReader&)>& read) const;
  /// Calls `read` for each member of an object of objects.
  void each_member(const char* key,
                   const std::function<void(const std::string&, const JsonReader&)>& read) const;
  const nlohmann::json& json() const { return object_; }

  /// One of `values`, by the name that name_of gives it.
  template <class Enum>
  Enum choice(const char* key, std::initializer_list<Enum> values) const {
    const std::string name = text(key);
    for (const Enum value : values) {
      if (name_of(value) == name) return value;
    }
    wrong(key, "a known name");
    return *values.begin();
  }

  /// Records that `key` is not `expected`.
  void wrong(const char* key, const char* expected) const;

 private:
  const nlohmann::json* member(const char* key) const;

  const nlohmann::json& object_;
  std::string where_;
  Fault& fault_;
};

/// `value`, or the fault that was met on the way to it.
template <class T>
Result<T> value_or_fault(T value, JsonReader::Fault fault) {
  if (fault) return tl::unexpected<Error>(*std::move(fault));
  return value;
}

}  // namespace kp
