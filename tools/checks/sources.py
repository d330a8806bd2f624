# SPDX-License-Identifier: Apache-2.0
"""Every source of a room is in one of its CMake lists: a forgotten test would never run."""
import posixpath
import re

from checks.tree import Problem


def problems(tree):
    lists = {}
    for path in tree.paths:
        if path.endswith((".cmake", "CMakeLists.txt")):
            lists[path] = set(re.findall(r"[\w./-]+\.(?:cc|c)\b", tree.text(path)))
    for path in tree.under("src", "tests", "bench", suffixes={".cc", ".c"}):
        if path.startswith("tests/golden/"):
            continue
        if not _listed(path, lists):
            yield Problem(path, 1, "no CMake list names this file",
                          "add it to SOURCES or TESTS of its room's CMakeLists.txt")


def _listed(path, lists):
    folder = posixpath.dirname(path)
    while folder:
        relative = posixpath.relpath(path, folder)
        for listing, named in lists.items():
            if posixpath.dirname(listing) == folder and relative in named:
                return True
        folder = posixpath.dirname(folder)
    return False
