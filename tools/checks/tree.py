# SPDX-License-Identifier: Apache-2.0
"""The files under check and how a problem is told; used by every rule."""
import concurrent.futures
import dataclasses
import functools
import hashlib
import os
import pathlib
import subprocess

IGNORED = {".git", "build", "node_modules", "runs", "__pycache__"}
CODE = {".h", ".cc", ".c", ".cu", ".cmake", ".py", ".sh", ".lua"}


@dataclasses.dataclass(order=True)
class Problem:
    path: str
    line: int
    message: str
    remedy: str
    warning: bool = False

    def __str__(self):
        kind = "warning: " if self.warning else ""
        return f"{self.path}:{self.line}: {kind}{self.message}: {self.remedy}"


class Tree:
    """All files that belong to the project: tracked ones and new ones that git does not ignore."""

    def __init__(self, root):
        self.root = root.resolve()
        self.paths = sorted(p for p in self._listed() if (self.root / p).is_file())
        self._known = set(self.paths)

    def has(self, path):
        return path in self._known

    def _listed(self):
        if (self.root / ".git").exists():
            listing = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"],
                                     cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if listing.returncode == 0:
                return [p for p in listing.stdout.decode().split("\0") if p]
        found = []
        for folder, inner, files in os.walk(self.root):
            inner[:] = [name for name in inner if name not in IGNORED]
            found += [os.path.relpath(os.path.join(folder, name), self.root) for name in files]
        return found

    def under(self, *prefixes, suffixes=None):
        """Paths below one of the folders, in order, optionally only with these suffixes."""
        return [p for p in self.paths
                if (not prefixes or p.startswith(tuple(f"{x}/" for x in prefixes)))
                and (suffixes is None or pathlib.PurePath(p).suffix in suffixes)]

    def is_code(self, path):
        """Code of ours: by suffix, CMake lists, and scripts that start with #!."""
        name = pathlib.PurePath(path)
        script = not name.suffix and self.bytes(path).startswith(b"#!")
        return name.suffix in CODE or name.name == "CMakeLists.txt" or script

    @functools.lru_cache(maxsize=None)
    def bytes(self, path):
        return (self.root / path).read_bytes()

    @functools.lru_cache(maxsize=None)
    def text(self, path):
        return self.bytes(path).decode("utf-8", errors="replace")

    def lines(self, path):
        return self.text(path).split("\n")

    def run_cached(self, rule, jobs):
        """Runs (path, key, command) jobs on all cores; one whose key succeeded before is skipped.

        Returns (path, output) of those that failed.
        """
        cache = self.root / "build" / "check" / rule

        def run(job):
            path, key, command = job
            mark = cache / hashlib.sha256("\0".join([*command, *key]).encode()).hexdigest()
            if mark.exists():
                return path, None
            done = subprocess.run(command, cwd=self.root, stdin=subprocess.DEVNULL, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode == 0:
                cache.mkdir(parents=True, exist_ok=True)
                mark.touch()
                return path, None
            return path, done.stdout

        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            return [result for result in pool.map(run, jobs) if result[1] is not None]


def is_data(path):
    """Inputs and expected outputs of tests: their bytes are the point, so no rule of style holds."""
    folders = path.split("/")[:-1]
    return path.endswith(".ptx") or bool({"golden", "corpus", "testdata", "crashes"} & set(folders))
