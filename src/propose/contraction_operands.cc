// SPDX-License-Identifier: Apache-2.0
#include "propose/contraction_operands.h"

#include "propose/effects.h"

namespace kp::propose {
namespace {

using Along = ContractionOperand::Along;

/// The loads in an expression: subscripts and dereferenced pointers.
std::vector<SyntaxNode> loads_in(const SourceTree& tree, const SyntaxNode& value) {
  std::vector<SyntaxNode> loads;
  for (const std::string_view kind : {"subscript_expression", "pointer_expression"}) {
    auto found = tree.all(value, kind);
    if (value.type() == kind) found.push_back(value);
    for (const SyntaxNode& node : found) {
      if (kind == "subscript_expression" || operator_of(node) == "*") loads.push_back(node);
    }
  }
  return loads;
}

class OperandReader {
 public:
  OperandReader(const SourceTree& tree, Contraction& shape) : tree_(tree), shape_(shape) {}

  bool read(const SyntaxNode& left, const SyntaxNode& right) {
    if (!read_operand(left, shape_.a) || !read_operand(right, shape_.b)) return false;
    const auto of_row = [this](const ContractionOperand& operand) {
      return shape_.locals.depends(operand.value, shape_.row.name);
    };
    if (!of_row(shape_.a)) std::swap(shape_.a, shape_.b);
    return of_row(shape_.a) && !of_row(shape_.b)
               ? place(shape_.a, shape_.row.name, shape_.column.name) &&
                     place(shape_.b, shape_.column.name, shape_.row.name)
               : no("an operand does not belong to one output index");
  }

  const std::string& why() const { return why_; }

 private:
  bool no(std::string why) {
    why_ = std::move(why);
    return false;
  }

  /// The operand itself, through variables that the loop declares for it.
  bool read_operand(const SyntaxNode& node, ContractionOperand& operand) {
    operand.value = without_parentheses(node);
    for (const Local* local = nullptr; operand.value.type() == "identifier" &&
                                       (local = shape_.locals.find(operand.value.text()));) {
      if (local->type != shape_.sum.type && local->type != "const " + shape_.sum.type) break;
      operand.value = without_parentheses(local->value);
    }
    if (!is_pure(tree_, operand.value)) return no("loading an operand has side effects");
    const auto loads = loads_in(tree_, operand.value);
    if (loads.size() == 1) operand.element = loads.front();
    return true;
  }

  bool place(ContractionOperand& operand, const std::string& own, const std::string& other) {
    const std::string& k = shape_.loop.index;
    const Locals& locals = shape_.locals;
    if (!locals.depends(operand.value, own) || !locals.depends(operand.value, k) ||
        locals.depends(operand.value, other)) {
      return no("an operand does not belong to one output index");
    }
    if (operand.element.valid()) read_layout(operand, own);
    if (!has_type_of_sum(operand)) return no("an operand is not of the type of the sum");
    return true;
  }

  void read_layout(ContractionOperand& operand, const std::string& own) const {
    const std::string& k = shape_.loop.index;
    const auto element =
        element_of(operand.element, shape_.locals, {shape_.row.name, shape_.column.name, k});
    if (!element) return;
    for (const PointerParameter& pointer : pointer_parameters(tree_, shape_.kernel)) {
      if (pointer.name != element->pointer) continue;
      operand.pointer = pointer.name;
      operand.element_type = pointer.element;
      operand.element_bytes = pointer.element_bytes;
    }
    const auto along_k = element->index.step(k), along_own = element->index.step(own);
    if (operand.element_bytes == 0 || !along_k || !along_own) return;
    const bool crossed = along_k->has(own) || along_own->has(k);
    if (crossed) return;
    if (along_k->value() == 1) {
      operand.contiguous = Along::kReduced;
      operand.stride = along_own->text();
    } else if (along_own->value() == 1) {
      operand.contiguous = Along::kOutput;
      operand.stride = along_k->text();
    }
  }

  bool has_type_of_sum(const ContractionOperand& operand) const {
    const bool bare = operand.value == operand.element;
    if (shape_.sum.type != "float") return bare && operand.element_type == shape_.sum.type;
    return bare ? operand.element_type == "float" : is_float(tree_, shape_.kernel, operand.value);
  }

  const SourceTree& tree_;
  Contraction& shape_;
  std::string why_;
};

std::vector<SyntaxNode> factors_of_fma(const SyntaxNode& statement) {
  const SyntaxNode assignment = statement.children().front();
  // `sum -= f(a, b)` has no value either, and is no product.
  if (assignment.type() != "assignment_expression" || operator_of(assignment) != "=") return {};
  const SyntaxNode call = without_parentheses(assignment.field("right"));
  if (call.type() != "call_expression") return {};
  return call.field("arguments").children();
}

/// The factors of `sum += a * b` or `sum = fmaf(a, b, sum)`; empty when there are none.
std::vector<SyntaxNode> factors_of(const Accumulation& step, const SyntaxNode& statement) {
  if (!step.value) return factors_of_fma(statement);
  const SyntaxNode product = without_parentheses(*step.value);
  if (product.type() != "binary_expression" || operator_of(product) != "*") return {};
  return {product.field("left"), product.field("right")};
}

}  // namespace

std::optional<Refusal> read_operands(const SourceTree& tree, const Accumulation& step,
                                     const SyntaxNode& statement, Contraction& shape) {
  const auto factors = factors_of(step, statement);
  if (factors.empty()) return Refusal{"what it sums is no product of two operands"};
  OperandReader reader(tree, shape);
  if (reader.read(factors[0], factors[1])) return std::nullopt;
  return Refusal{reader.why()};
}

}  // namespace kp::propose
