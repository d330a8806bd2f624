# SPDX-License-Identifier: Apache-2.0
"""SPDX line, ASCII, line ends and blanks of every text file."""
import pathlib

from checks.tree import Problem, is_data

SPDX = "SPDX-License-Identifier: Apache-2.0"
WITHOUT_COMMENTS = {".json", ".jsonl", ".md", ".csv", ".svg", ".sql"}
BINARY = {".png", ".jpg", ".gz", ".db", ".cubin", ".safetensors"}


def problems(tree):
    for path in tree.paths:
        suffix = pathlib.PurePath(path).suffix
        if is_data(path) or suffix in BINARY or path == "LICENSE":
            continue
        if _needs_spdx(tree, path, suffix) and not any(
                SPDX in line for line in tree.lines(path)[:2]):
            yield Problem(path, 1, "no SPDX line", f"start the file with: {SPDX}")
        if path.startswith("src/") and path.endswith(".h") and "#pragma once" not in tree.text(path):
            yield Problem(path, 2, "no include guard", "add #pragma once")
        yield from _bytes(path, tree.bytes(path))


def _needs_spdx(tree, path, suffix):
    if suffix in WITHOUT_COMMENTS:
        return False
    return tree.is_code(path) or suffix in {".toml", ".txt"} and path.startswith(("tools/", "specs/"))


def _bytes(path, content):
    if not content:
        return
    for number, line in enumerate(content.split(b"\n"), 1):
        if not line.isascii():
            yield Problem(path, number, "a character that is not ASCII", "spell it in ASCII")
        if b"\r" in line or b"\t" in line:
            yield Problem(path, number, "a tab or a carriage return", "use blanks and plain line ends")
        elif line != line.rstrip():
            yield Problem(path, number, "blanks at the end of the line", "remove them")
    if not content.endswith(b"\n") or content.endswith(b"\n\n"):
        yield Problem(path, content.count(b"\n") + 1, "the file must end with one line end", "fix it")
