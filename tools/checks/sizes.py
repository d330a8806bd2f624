# SPDX-License-Identifier: Apache-2.0
"""Files of about 100 lines: a warning above the soft limit, an error above the hard one."""
from checks.tree import Problem, is_data

SOFT = 300
HARD = 500


def problems(tree):
    for path in filter(tree.is_code, tree.paths):
        lines = tree.text(path).count("\n")
        if is_data(path) or lines <= SOFT:
            continue
        yield Problem(path, 1, f"{lines} lines (soft limit {SOFT}, hard {HARD})",
                      "split it by subject; a table may stand in tools/exempt.txt",
                      warning=lines <= HARD)
