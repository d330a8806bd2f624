// SPDX-License-Identifier: Apache-2.0
// What a run was told by the world outside, so that it can be repeated without that world.
//
// A file of JSON lines, {"kind": "chat", "key": "...", "value": ...}, that only grows. Kinds are
// "chat" (key: the prompt's digest; value: the reply), "evaluation" (key: the candidate's) and
// "run" (what the run was started with). Values with the same kind and key come back in the order
// in which they were added.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/file.h"

namespace kp::llm {

/// May be used by several threads at once.
class Recording {
 public:
  /// To add to: the file is made where there is none; a line that a crash has torn is cut off.
  static Result<std::shared_ptr<Recording>> append(const Path& file);
  /// To read: the last line may be torn. kCorrupt with the line number for any other.
  static Result<std::shared_ptr<Recording>> read(const Path& file);

  /// Writes one line before it returns; a crash of the process loses nothing after that. kIo.
  Result<void> add(std::string_view kind, std::string_view key, const nlohmann::json& value);

  /// The next value of kind and key. kCorrupt when there is none (left): what is asked for now was
  /// not asked for then.
  Result<nlohmann::json> next(std::string_view kind, std::string_view key);
  /// How many values of this kind are left.
  std::size_t left(std::string_view kind) const;
  const Path& file() const { return file_; }

 private:
  struct Values {
    std::vector<nlohmann::json> list;
    std::size_t given = 0;
  };
  Recording(Path file, Descriptor descriptor)
      : file_(std::move(file)), descriptor_(std::move(descriptor)) {}
  Result<void> take_line(std::string_view line, std::size_t number);

  Path file_;
  Descriptor descriptor_;  // open where it is added to
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Values> values_;
};

}  // namespace kp::llm
