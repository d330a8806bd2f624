# SPDX-License-Identifier: Apache-2.0
"""C++ is laid out by clang-format."""
import re
import subprocess

from checks.tree import Problem

TOOL = "clang-format"


def problems(tree):
    try:
        version = subprocess.run([TOOL, "--version"], check=True, stdout=subprocess.PIPE,
                                 text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return [Problem(".clang-format", 1, f"{TOOL} is missing", f"apt-get install {TOOL}")]
    style = tree.text(".clang-format") if tree.has(".clang-format") else ""
    jobs = [(path, [version, style, tree.text(path)], [TOOL, "--dry-run", "-Werror", path])
            for path in tree.under("src", "tests", "bench", suffixes={".h", ".cc"})]
    found = []
    for path, output in tree.run_cached("format", jobs):
        place = re.search(r":(\d+):\d+: ", output)
        found.append(Problem(path, int(place[1]) if place else 1, "not laid out by clang-format",
                             f"run {TOOL} -i {path}"))
    return found
