# SPDX-License-Identifier: Apache-2.0
"""Families with one file a member: each member is in its catalogue and has its test and goldens.

A file is a member when it defines the family's maker, such as `std::unique_ptr<Tool> make_NAME()`.
"""
import dataclasses
import pathlib
import re

from checks.tree import Problem


@dataclasses.dataclass
class Family:
    folder: str
    maker: str  # regular expression at the start of a line; group 1 is the maker, group 2 the name
    catalogue: str
    all_files: bool = True  # every source of the folder is a member
    tested: bool = True  # has a test beside it
    goldens: tuple = ()  # path prefixes with {name}; each must match a file


FAMILIES = [
    Family("src/diagnose/tools", r"std::unique_ptr<Tool> (make_(\w+))\(", "src/diagnose/catalog.cc",
           goldens=("tests/golden/diagnose/{name}/fires", "tests/golden/diagnose/{name}/silent")),
    Family("src/propose/rewrites", r"std::unique_ptr<Rewrite> (make_(\w+))\(",
           "src/propose/catalog.cc"),
    Family("src/propose/llm/arms", r"std::unique_ptr<Feedback> (make_(\w+))\(",
           "src/propose/llm/feedback.cc", tested=False),
    Family("src/search", r"std::unique_ptr<Strategy> (make_(\w+))\(", "src/search/catalog.cc",
           all_files=False, tested=False),
    Family("src/llm", r"Result<std::unique_ptr<Chat>> (make_(\w+))\(", "src/llm/catalog.cc",
           all_files=False, tested=False),
    Family("src/mcp/tools", r"Tool (make_(\w+))\(", "src/mcp/catalog.cc", tested=False),
    Family("src/cli", r"void (add_(\w+))\(CLI::App& \w+, Run&", "src/cli/catalog.cc", all_files=False,
           tested=False),
]


def problems(tree):
    for family in FAMILIES:
        for path in tree.under(family.folder, suffixes={".cc"}):
            if path != family.catalogue and not path.endswith("_test.cc"):
                yield from _file(tree, family, path)


def _file(tree, family, path):
    makers = re.findall(rf"^{family.maker}[^;{{]*{{", tree.text(path), re.M)
    if not makers and family.all_files:
        yield Problem(path, 1, f"no maker of this family ({family.maker})",
                      f"define it, or move the file out of {family.folder}")
    for maker, name in makers:
        yield from _member(tree, family, path, maker, name)
    test = str(pathlib.PurePath(path).with_suffix("")) + "_test.cc"
    if makers and family.tested and not tree.has(test):
        yield Problem(path, 1, "no test", f"write {test}")


def _member(tree, family, path, maker, name):
    catalogue = tree.text(family.catalogue) if tree.has(family.catalogue) else ""
    if not re.search(rf"\b{maker}\b", catalogue):
        yield Problem(path, 1, f"{name} is missing from {family.catalogue}", f"name {maker} there")
    for pattern in family.goldens:
        prefix = pattern.format(name=name)
        if not any(p.startswith(prefix) for p in tree.paths):
            yield Problem(path, 1, f"{name} has no golden case {prefix}*", "add one")
