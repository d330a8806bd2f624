// SPDX-License-Identifier: Apache-2.0
// Reading that cannot leave a folder: paths come from models.
#pragma once
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/file.h"

namespace kp::codesearch {

class Root {
 public:
  /// kNotFound: no such folder.
  static Result<Root> open(const Path& folder);
  /// The text of a file below the root. kInvalidInput: an absolute path, `..`, no regular file, no
  /// UTF-8 text; symbolic links are not followed, wherever they lead. kNotFound, kIo, kLimit.
  Result<std::string> read(std::string_view path, std::uint64_t max_bytes) const;
  const Path& folder() const { return folder_; }

 private:
  Root(Path folder, Descriptor descriptor)
      : folder_(std::move(folder)), descriptor_(std::move(descriptor)) {}
  Path folder_;  // canonical
  Descriptor descriptor_;
};

}  // namespace kp::codesearch
