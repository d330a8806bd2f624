# SPDX-License-Identifier: Apache-2.0
"""Every source of a room is in one of its CMake lists: a forgotten test would never run."""
import posixpath
import re

from checks.tree import Problem, is_data


def problems(tree):
    lists = {}
    for path in tree.paths:
        if path.endswith((".cmake", "CMakeLists.txt")):
            text = tree.text(path)
            lists[path] = set(re.findall(r"[\w./-]+\.(?:cc|c)\b", text))
            # kp_fuzz(plan ...) stands for plan_fuzz.cc, kp_bench alike.
            lists[path] |= {f"{name}_{kind}.cc" for kind, name in
                            re.findall(r"^kp_(fuzz|bench)\(\s*(\w+)", text, re.M)}
    for path in tree.under("src", "tests", "bench", suffixes={".cc", ".c"}):
        # A reference belongs to a task: it is compiled when the task is evaluated.
        if is_data(path) or path.endswith("reference.cc"):
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
