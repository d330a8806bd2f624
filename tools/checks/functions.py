# SPDX-License-Identifier: Apache-2.0
"""Functions of about 10 lines with few parameters, and interfaces with few methods."""
import re

from checks import cpp
from checks.tree import Problem

SOFT_LINES = 40
HARD_LINES = 60
PARAMETERS = 5
METHODS = 6


def problems(tree):
    for path in tree.under("src", "tests", "bench", suffixes={".h", ".cc"}):
        for scope in cpp.scopes(tree.text(path)):
            if scope.kind == "function":
                yield from _function(path, scope)
            elif scope.kind == "type":
                yield from _interface(path, scope)


def _function(path, scope):
    lines = scope.last - scope.first + 1
    name = _name(scope.head)
    if lines > SOFT_LINES:
        yield Problem(path, scope.first, f"{name} has {lines} lines (soft limit {SOFT_LINES}, hard "
                      f"{HARD_LINES})", "give a part of it a name of its own",
                      warning=lines <= HARD_LINES)
    count = cpp.parameters(scope.head)
    if count > PARAMETERS and not name.startswith("TEST"):
        yield Problem(path, scope.first, f"{name} has {count} parameters (limit {PARAMETERS})",
                      "group what belongs together in a struct")


def _interface(path, scope):
    count = len(re.findall(r"\)[^;{}()]*=\s*0\s*;", scope.body))
    if count > METHODS:
        yield Problem(path, scope.first, f"an interface with {count} methods (limit {METHODS})",
                      "split it by user")


def _name(head):
    match = re.search(r"([\w:~]+)\s*\(", head)
    return match[1] if match else "function"
