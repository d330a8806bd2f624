# SPDX-License-Identifier: Apache-2.0
"""Families with one file a member: each member is in its catalogue and has its test and goldens."""
import dataclasses
import pathlib
import re

from checks.tree import Problem


@dataclasses.dataclass
class Family:
    members: str  # regular expression over paths; group 1 is the member's name
    catalogue: str
    tested: bool = False  # NAME_test.cc beside it
    goldens: tuple = ()  # path prefixes with {name}; each must match a file


FAMILIES = [
    Family(r"src/diagnose/tools/(\w+)\.cc", "src/diagnose/catalog.cc", tested=True,
           goldens=("tests/golden/diagnose/{name}/fires", "tests/golden/diagnose/{name}/silent")),
    Family(r"src/propose/rewrites/(\w+)\.cc", "src/propose/catalog.cc", tested=True),
    Family(r"src/search/strategies/(\w+)\.cc", "src/search/catalog.cc", tested=True),
    Family(r"src/cli/commands/(\w+)\.cc", "src/cli/main.cc"),
]


def problems(tree):
    for family in FAMILIES:
        for path in tree.paths:
            match = re.fullmatch(family.members, path)
            if match and not path.endswith("_test.cc"):
                yield from _member(tree, family, path, match[1])


def _member(tree, family, path, name):
    catalogue = tree.text(family.catalogue) if tree.has(family.catalogue) else ""
    if not re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", catalogue):
        yield Problem(path, 1, f"{name} is missing from {family.catalogue}", "add it there")
    test = str(pathlib.PurePath(path).with_name(f"{name}_test.cc"))
    if family.tested and not tree.has(test):
        yield Problem(path, 1, f"{name} has no test", f"write {test}")
    for pattern in family.goldens:
        prefix = pattern.format(name=name)
        if not any(p.startswith(prefix) for p in tree.paths):
            yield Problem(path, 1, f"{name} has no golden case {prefix}*", "add one")
