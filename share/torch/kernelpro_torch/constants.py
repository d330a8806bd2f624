# SPDX-License-Identifier: Apache-2.0
"""Integers at the level of a module: which there are, and the same module with others.

`N = 4`, `H = W = 8`, `A, B = 1, 2` and `M: int = 4` name integers; so does `shape = (3, 4)`, as
shape_0 and shape_1. What is computed from names (`K = N * 2`) follows them and is not one.
"""
import ast
import operator

OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
              ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.LShift: operator.lshift,
              ast.Pow: operator.pow}
LARGEST = 1 << 62


def integer(node):
    """The value of an expression of integer literals, else None."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int and abs(node.value) < LARGEST else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = integer(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.BinOp):
        return binary(node.op, integer(node.left), integer(node.right))
    return None


def binary(operation, left, right):
    if left is None or right is None or not sensible(operation, left, right):
        return None
    value = OPERATIONS[type(operation)](left, right)
    return value if abs(value) < LARGEST else None


def sensible(operation, left, right):
    """Whether it is an operation that ends soon with a number."""
    if isinstance(operation, (ast.Pow, ast.LShift)):
        return 0 <= right < 63 and abs(left) < 1 << 31
    if isinstance(operation, (ast.FloorDiv, ast.Mod)):
        return right != 0
    return type(operation) in OPERATIONS


def pairs(statement):
    """[(name, node of its value)] of a statement that binds nothing but plain names."""
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return bound(statement.target, statement.value) or []
    if not isinstance(statement, ast.Assign):
        return []
    all_bound = [bound(target, statement.value) for target in statement.targets]
    return [] if None in all_bound else [pair for some in all_bound for pair in some]


def bound(target, value):
    """None where the target is anything else."""
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if not (isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)):
        return None
    parts = [bound(part, one) for part, one in zip(target.elts, value.elts)]
    return None if None in parts else [pair for some in parts for pair in some]


def elements(name, value):
    """(constant's name, node) of a plain integer or of each element of a tuple of them."""
    if integer(value) is not None:
        return [(name, value)]
    if isinstance(value, (ast.Tuple, ast.List)) and value.elts:
        if all(integer(part) is not None for part in value.elts):
            return [(f"{name}_{i}", part) for i, part in enumerate(value.elts)]
    return []


def of(tree):
    names = [pair for statement in tree.body for pair in pairs(statement)]
    taken = {name for name, value in names if integer(value) is not None}
    found = {}
    for name, value in names:
        for constant, node in elements(name, value):
            if constant == name or constant not in taken:
                found[constant] = integer(node)
    return found


class Replacement(ast.NodeTransformer):
    """Values of single names, wherever a statement of the module binds them."""

    def __init__(self, constants):
        self.constants = constants

    def visit_Module(self, module):
        body = []
        for statement in module.body:
            body += self.single(statement)
        module.body = body
        return ast.fix_missing_locations(module)

    def single(self, statement):
        bindings = pairs(statement)
        if not any(key in self.constants for pair in bindings for key, _ in elements(*pair)):
            return [statement]
        return [ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], self.value(name, node)),
                                  statement) for name, node in bindings]

    def value(self, name, node):
        if name in self.constants and integer(node) is not None:
            return ast.copy_location(ast.Constant(self.constants[name]), node)
        parts = [ast.Constant(self.constants.get(key, integer(part)))
                 for key, part in elements(name, node)]
        if not parts or integer(node) is not None:
            return node
        return ast.copy_location(type(node)(parts, ast.Load()), node)


def replaced(text, file, constants):
    """The module's tree with other values; a name that is no constant of it is left out."""
    return Replacement(constants).visit(ast.parse(text, file))
