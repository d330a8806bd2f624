# SPDX-License-Identifier: Apache-2.0
"""Types and files are named after what they are, never with a word that fits everything."""
import posixpath
import re

from checks import cpp
from checks.tree import Problem

EMPTY_WORDS = {"Manager", "Helper", "Util", "Utils", "Utility", "Common", "Data", "Info", "Impl", "Base",
               "Handler", "Context", "Misc"}
DEFINITION = re.compile(r"\b(?:(?:class|struct|union|enum(?:\s+class)?)\s+(?:\[\[\w+\]\]\s*)?(\w+)"
                        r"(?:\s+final)?\s*[:{]|using\s+(\w+)\s*=)")
WORD = re.compile(r"[A-Z][a-z0-9]*|[a-z0-9]+")


def problems(tree):
    for path in tree.under("src", "tests", "bench", suffixes={".h", ".cc"}):
        if is_bad(posixpath.splitext(posixpath.basename(path))[0]):
            yield Problem(path, 1, "a file name that says nothing", "name it after its subject")
        text = cpp.blank(tree.text(path))
        for match in DEFINITION.finditer(text):
            name = match[1] or match[2]
            if is_bad(name):
                yield Problem(path, text.count("\n", 0, match.start()) + 1,
                              f"type {name} has a word that says nothing",
                              "use the field's noun for what it is")


def is_bad(name):
    return any(word.capitalize() in EMPTY_WORDS for word in WORD.findall(name))
