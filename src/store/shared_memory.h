// SPDX-License-Identifier: Apache-2.0
// Experiences of many runs: a database beside the caches. Any number of processes add to it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/sqlite.h"
#include "model/experience.h"

namespace kp::store {

/// memory.db in the cache folder.
Path default_memory();

/// What is not to be read.
struct Without {
  std::string run;                // empty: none
  std::string task, task_digest;  // neither of that name nor of that content; empty: none
};

class SharedMemory {
 public:
  /// Made where there is none. kIo when its folder cannot be made; kCorrupt when it is none.
  static Result<SharedMemory> open(const Path& file);

  /// One transaction; what is known (run and node) stays as it is.
  Result<void> add(std::span<const Experience> experiences, const std::string& task_digest);
  /// What was added since this object last read, oldest first; the first time at most the newest
  /// 10,000.
  Result<std::vector<Experience>> read(const Without& without);
  /// Of one run, or all; returns how many there were.
  Result<std::int64_t> forget(const std::optional<std::string>& run);

 private:
  explicit SharedMemory(Sqlite database) : database_(std::move(database)) {}
  Sqlite database_;
  std::int64_t last_ = 0;
};

}  // namespace kp::store
