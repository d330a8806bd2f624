// SPDX-License-Identifier: Apache-2.0
#include "build/ptx_names.h"

#include <cctype>

namespace kp::build {
namespace {

/// PTX ISA, section 4.4: letters, digits, `_`, `$`, and `%` at the start.
bool is_part(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}

}  // namespace

PtxNames::PtxNames(std::string_view ptx) {
  for (std::size_t at = 0; at < ptx.size();) {
    std::size_t end = at;
    while (end < ptx.size() && is_part(ptx[end])) ++end;
    if (end > at) ++counts_[ptx.substr(at, end - at)];
    at = end + 1;
  }
}

std::size_t PtxNames::count(std::string_view name) const {
  const auto found = counts_.find(name);
  return found == counts_.end() ? 0 : found->second;
}

}  // namespace kp::build
