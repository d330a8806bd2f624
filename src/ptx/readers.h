// SPDX-License-Identifier: Apache-2.0
// The grammar, one function for each of its parts. All read at the cursor, return false after an
// error, and leave the cursor behind what they read. Used by parse.cc and by one another.
#pragma once
#include <map>
#include <tuple>
#include <vector>

#include "ptx/cursor.h"
#include "ptx/module.h"
#include "ptx/scope.h"

namespace kp::ptx {

/// The space that a directive such as ".shared" names.
std::optional<Space> space_from(const Token& token);

/// One operand, or several where brackets hold more than an address: [tensor, {x, y}].
bool read_operand(Cursor& cursor, const Scopes& scopes, std::vector<Operand>& operands,
                  int depth = 0);

/// Behind the space directive: `.align 4 .b8 x[16] = {...}, y;`, the end mark included.
bool read_variables(Cursor& cursor, Space space, bool is_extern, std::vector<Variable>& variables);

/// `(.param .b32 x, ...)`.
bool read_parameters(Cursor& cursor, std::vector<Variable>& parameters);

/// Behind `=`: fills `initial` and `relocations`.
bool read_initial(Cursor& cursor, Variable& variable);

/// Behind `.entry` or `.func`: header, performance directives, body or end mark.
bool read_function(Cursor& cursor, Function& function);

/// `{ ... }`: the body of a function.
bool read_body(Cursor& cursor, Function& function);

/// `.loc` lines resolved to the place that a user would call "this line": see location.cc.
class LocationReader {
 public:
  /// Behind `.loc`.
  bool read(Cursor& cursor);
  Location current() const { return current_; }

 private:
  using Key = std::tuple<int, int, int>;
  static Key key(const Location& at) { return {at.file, at.line, at.column}; }
  Location user_place(const Location& at, const Location& inlined_at) const;
  int home_ = -1;  // file of the function itself
  Location current_;
  std::map<Key, Location> inlined_;  // place in an inlined function -> the user's place
};

}  // namespace kp::ptx
