// SPDX-License-Identifier: Apache-2.0
// Source trees that a model may search, whoever indexes them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace kp::propose {

struct CodeHit {
  std::string path;  // as read() takes it
  int line = 0;      // where the excerpt begins
  std::string excerpt;
};

class CodeSource {
 public:
  virtual ~CodeSource() = default;
  /// Best first.
  virtual Result<std::vector<CodeHit>> search(const std::string& query, int limit) = 0;
  /// Lines `first` to `last`, from 1, as far as they exist. kNotFound: no such file below a root.
  virtual Result<std::string> read(const std::string& path, int first, int last) = 0;
};

/// An index over the folders, brought up to date; null without any. Errors: a root is no folder.
Result<std::unique_ptr<CodeSource>> open_code_source(const std::vector<Path>& roots);

}  // namespace kp::propose
