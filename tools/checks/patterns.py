# SPDX-License-Identifier: Apache-2.0
"""Things that must not be written, found by regular expression."""
import dataclasses
import re

from checks import cpp
from checks.tree import Problem, is_data

CPP = {".h", ".cc"}


@dataclasses.dataclass
class Pattern:
    regex: str
    message: str
    remedy: str
    code_only: bool = True  # C++ outside comments and literals; else every text file
    everywhere: bool = False  # in tests and in cli too


PATTERNS = [
    Pattern(r"\bthrow\b", "throw", "return a Result (base/result.h)", everywhere=True),
    Pattern(r"\bstd::(cout|cerr|clog)\b|\bf?printf\s*\(|\bputs\s*\(|\bfmt::print(ln)?\b",
            "only cli prints", "return the text to the caller"),
    Pattern(r"(\bstd|(?<![\w:.>]))::(exit|_exit|abort|quick_exit)\s*\(", "only cli ends the program",
            "return a Result, or KP_CHECK for a bug"),
    Pattern(r"\bsystem_clock\b|\btime\s*\(\s*(nullptr|NULL|0)\s*\)|\bgettimeofday\b",
            "the wall clock in a result is not repeatable", "use steady_clock for durations"),
    Pattern(r"\bstd::(rand|srand|random_device|mt19937(_64)?)\b", "random numbers that vary",
            "use base/random.h", everywhere=True),
    Pattern(r"\b(TODO|FIXME|XXX|HACK)\b", "an open end", "do it, or open an issue",
            code_only=False),
    Pattern(r"(?<![\w.~-])/(home|root|work|Users|mnt|scratch)/\w", "a path of one machine",
            "use a relative path or an environment variable", code_only=False),
    Pattern(r"<{7} |>{7} ", "a merge conflict", "resolve it", code_only=False),
]


def problems(tree):
    for path in tree.paths:
        if is_data(path) or path == "LICENSE" or path.startswith("tools/checks/"):
            continue
        for pattern in PATTERNS:
            if _applies(pattern, path):
                yield from _matches(pattern, path, tree.text(path))


def _applies(pattern, path):
    if not pattern.code_only:
        return True
    if not path.endswith((".h", ".cc")) or not path.startswith("src/"):
        return False
    # x_main.cc is a program of its own.
    free = path.endswith(("_test.cc", "_main.cc")) or path.startswith("src/cli/")
    return pattern.everywhere or not free


def _matches(pattern, path, text):
    if pattern.code_only:
        text = cpp.blank(text)
    for match in re.finditer(pattern.regex, text):
        yield Problem(path, text.count("\n", 0, match.start()) + 1,
                      f"{pattern.message} ({match[0].strip()})", pattern.remedy)
