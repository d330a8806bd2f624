# SPDX-License-Identifier: Apache-2.0
"""Each header compiles alone: it includes what it uses."""
import functools
import os
import re
import subprocess

from checks.tree import Problem

COMPILER = os.environ.get("CXX", "g++")
FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-missing-field-initializers",
         '-DKP_SOURCE_DIR=""', '-DKP_BINARY_DIR=""', "-Isrc", "-x", "c++", "-include"]
# The driver's header is in the toolkit (tools/cuda.sh), not on the compiler's own path.
TOOLKITS = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda"]
FLAGS[:0] = [f"-isystem{folder}/include" for folder in TOOLKITS if folder and os.path.isdir(folder)]
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def problems(tree):
    try:
        version = subprocess.run([COMPILER, "--version"], check=True, stdout=subprocess.PIPE,
                                 text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return [Problem("CMakeLists.txt", 1, f"{COMPILER} is missing", "apt-get install g++")]
    jobs = [(path, [version, *_texts(tree, path)],
             [COMPILER, *FLAGS, path, "/dev/null"])
            for path in tree.under("src", suffixes={".h"})]
    found = []
    for path, output in tree.run_cached("header-alone", jobs):
        error = re.search(r"^([^:\s]+):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", output, re.M)
        where = f"{error[1]}:{error[2]}: {error[3]}" if error else output.strip()[-200:]
        line = int(error[2]) if error and error[1] == path else 1
        found.append(Problem(path, line, f"does not compile alone ({where})", "include what it uses"))
    return found


def _texts(tree, path):
    """The header and all headers of ours that it reaches: what its result depends on."""
    seen, pending = set(), [path]
    while pending:
        current = pending.pop()
        if current in seen or not tree.has(current):
            continue
        seen.add(current)
        pending += [f"src/{name}" for name in _included(tree, current)]
    return [tree.text(p) for p in sorted(seen)]


@functools.lru_cache(maxsize=None)
def _included(tree, path):
    return INCLUDE.findall(tree.text(path))
