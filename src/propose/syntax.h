// SPDX-License-Identifier: Apache-2.0
// Questions about a kernel's syntax that several rewrites ask. Answers are conservative: what is
// not recognised is not there.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "build/source_tree.h"
#include "model/task.h"

namespace kp::propose {

using build::operator_of;
using build::SourceTree;
using build::SyntaxNode;

/// The text without white space.
std::string squeezed(std::string_view text);

/// The name of a kernel (a `function_definition` node).
std::string_view name_of_kernel(const SyntaxNode& kernel);

/// `type name = value;` with one declarator, below a function.
struct LocalVariable {
  std::string name;
  SyntaxNode declaration, value;
};
std::vector<LocalVariable> initialised_locals(const SourceTree& tree, const SyntaxNode& scope);

/// The axis 'x', 'y' or 'z' when `value` is blockIdx.A * blockDim.A + threadIdx.A in any order,
/// else 0.
char thread_index_axis(const SyntaxNode& value);

/// Bytes of an element type as written, without const: "unsigned char"; 0 when it is not known.
unsigned bytes_of_element(std::string_view type);

/// Types in which a kernel counts and adds up, as written, without const: "float", "size_t".
bool is_number_type(std::string_view type);

/// A pointer parameter with an element type whose size is known.
struct PointerParameter {
  std::string name;
  std::string element;  // as written, without const: "float", "unsigned char"
  unsigned element_bytes = 0;
  bool constant = false;  // pointer to const
};
std::vector<PointerParameter> pointer_parameters(const SourceTree& tree, const SyntaxNode& kernel);

/// What a[i][j] subscripts: `a`; any other node itself.
SyntaxNode array_of(SyntaxNode subscript);

/// True when some identifier below `node` is `name`.
bool mentions(const SourceTree& tree, const SyntaxNode& node, std::string_view name);
/// True when a call below `node` is to one of the barriers, warp collectives or atomics.
bool communicates(const SourceTree& tree, const SyntaxNode& node);

/// The only launch of `kernel` in the plan, or null when there are none or several.
const Launch* only_launch(const Plan& plan, std::string_view kernel);
Launch* only_launch(Plan& plan, std::string_view kernel);
/// The value of a literal expression.
std::optional<std::int64_t> literal(const Expr& expr);
/// ceil_div(a, b) becomes ceil_div(a, (b) * factor); nothing when `expr` has another form.
std::optional<Expr> divisor_times(const Expr& expr, std::int64_t factor);

/// True when `node` is certainly of type float: a literal with f, a float variable or element, a
/// call of a function that returns float, or arithmetic in which one operand is float and none is
/// double.
bool is_float(const SourceTree& tree, const SyntaxNode& kernel, const SyntaxNode& node);

}  // namespace kp::propose
