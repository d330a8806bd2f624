// SPDX-License-Identifier: Apache-2.0
// How often PTX names what: a variable that only its declaration names is never read or written.
#pragma once
#include <cstddef>
#include <string_view>
#include <unordered_map>

namespace kp::build {

class PtxNames {
 public:
  /// `ptx` must outlive this. Comments and strings count too: that errs on the side of use.
  explicit PtxNames(std::string_view ptx);
  std::size_t count(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, std::size_t> counts_;
};

}  // namespace kp::build
