// SPDX-License-Identifier: Apache-2.0
// Names that the scopes of one function body declare, and what they become when scopes are
// flattened: a name of an inner scope gets the suffix "@n", a register range "%r<8>" the prefix
// "%r@n@".
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"

namespace kp::ptx {

class Scopes {
 public:
  /// `body_size`: statements so far; a scope renames labels only behind that.
  void enter(std::size_t body_size);
  /// Closes the innermost scope and renames its labels in what the scope holds.
  void leave(Function& function);
  std::size_t depth() const { return scopes_.size(); }
  /// Registers the variable and renames it when the scope is not the outermost.
  void declare(Variable& variable);
  /// The flat name of a label.
  std::string declare_label(std::string_view name);
  /// The flat name, and whether it is a register.
  struct Resolved {
    std::string name;
    bool is_register = false;
  };
  Resolved resolve(std::string_view name) const;

 private:
  struct Entry {
    std::string flat;
    bool is_register = false;
  };
  using Names = std::unordered_map<std::string, Entry>;
  struct Scope {
    Names names, ranges, labels;
    std::size_t number = 0, begin = 0;
  };
  std::vector<Scope> scopes_;
  std::size_t entered_ = 0;
};

}  // namespace kp::ptx
