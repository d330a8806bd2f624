# SPDX-License-Identifier: Apache-2.0
import ast
import unittest

from kernelpro_torch import constants

TEXT = """
M = 4 * 1024
N = -3
H = W = 8
A, B = 1, 2
L: int = 2 ** 10
shape = (16, 32)
both = (M, 2)
K = M * 2
flag = True
half = 0.5
deep = 1 << 70
def f():
    inner = 5
"""


def values(changes):
    scope = {}
    exec(compile(constants.replaced(TEXT, "file", changes), "file", "exec"), scope)
    return scope


class Constants(unittest.TestCase):
    def test_are_integers_of_the_module_also_in_tuples(self):
        self.assertEqual(constants.of(ast.parse(TEXT)),
                         {"M": 4096, "N": -3, "H": 8, "W": 8, "A": 1, "B": 2, "L": 1024,
                          "shape_0": 16, "shape_1": 32})

    def test_are_replaced_before_others_follow(self):
        scope = values({"M": 5, "shape_1": 6})
        self.assertEqual((scope["M"], scope["K"], scope["both"], scope["shape"]),
                         (5, 10, (5, 2), (16, 6)))

    def test_of_one_statement_are_replaced_alone(self):
        scope = values({"W": 9, "B": 7})
        self.assertEqual((scope["H"], scope["W"], scope["A"], scope["B"]), (8, 9, 1, 7))

    def test_without_changes_the_module_is_as_it_was(self):
        self.assertEqual(values({})["L"], 1024)

    def test_an_element_never_hides_a_constant_of_its_name(self):
        self.assertEqual(constants.of(ast.parse("s = (1, 2)\ns_0 = 7\n")), {"s_0": 7, "s_1": 2})

    def test_an_expression_that_would_take_for_ever_is_none(self):
        for text in ("x = 9 ** 9 ** 9", "x = 1 // 0", "x = 5 << -1", "x = 2 ** -1", "x = 7 % 0"):
            self.assertEqual(constants.of(ast.parse(text)), {}, text)
