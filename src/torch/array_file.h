// SPDX-License-Identifier: Apache-2.0
// Arrays of doubles in a memory file that two processes share. Only read and written, never mapped
// here: the other side may cut it.
#pragma once
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "torch/worker.h"

namespace kp::torch {

class ArrayFile {
 public:
  /// Holds `arrays`. kLimit when there is no memory for them.
  static Result<ArrayFile> make(const Tensors& arrays);

  int descriptor() const { return file_.number(); }
  /// [{name, offset, count}] of what it was made with.
  const nlohmann::json& entries() const { return entries_; }
  /// What stands at such entries. kCorrupt when it is not there.
  Result<Tensors> read(const nlohmann::json& entries) const;

 private:
  explicit ArrayFile(Descriptor file) : file_(std::move(file)) {}
  Result<void> write(const Tensors& arrays);

  Descriptor file_;
  nlohmann::json entries_ = nlohmann::json::array();
};

}  // namespace kp::torch
