# SPDX-License-Identifier: Apache-2.0
"""A room names only itself and rooms above it in tools/layers.txt; libraries stay in their rooms."""
import re

from checks.tree import Problem

LAYERS = "tools/layers.txt"
LIBRARIES = "tools/libraries.txt"
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
ROOM_CALL = re.compile(r"kp_room\(\s*(\w+)(.*?)\)", re.S)
KEYWORDS = {"SOURCES", "DEPS", "LIBS", "TESTS", "TEST_LIBS"}


def entries(tree, path):
    return [line.split() for line in tree.lines(path) if line.strip() and not line.startswith("#")]


def problems(tree):
    rooms = [words[0] for words in entries(tree, LAYERS)]
    libraries = {words[0]: set(words[1:]) for words in entries(tree, LIBRARIES)}
    found = []
    for path in tree.under("src", suffixes={".h", ".cc", ".c"}):
        found += _includes(tree, path, rooms, libraries)
    for path in tree.under("src", suffixes={".txt"}):
        found += _dependencies(tree, path, rooms)
    return found


def _includes(tree, path, rooms, libraries):
    room = path.split("/")[1]
    if room not in rooms:
        yield Problem(path, 1, f"room {room} is not in {LAYERS}", "add it where it belongs")
        return
    for number, line in enumerate(tree.lines(path), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted, name = match[1] == '"', match[2]
        target = name.split("/")[0]
        if quoted and target == "assets" and not path.endswith(".h"):
            continue
        if quoted and ("/" not in name or target not in rooms):
            yield Problem(path, number, f'"{name}" names no room',
                          'write #include "room/file.h", or <...> for a library')
        elif quoted and rooms.index(target) > rooms.index(room):
            yield Problem(path, number, f"{room} may not include {target}",
                          f"depend only on rooms above {room} in {LAYERS}")
        elif not quoted:
            yield from _library(tree, path, number, name, room, libraries)


def _library(tree, path, number, name, room, libraries):
    for prefix, allowed in libraries.items():
        if not name.startswith(prefix) or room in allowed:
            continue
        if "tests" not in allowed or not _is_test(tree, path):
            yield Problem(path, number, f"<{name}> is kept to {', '.join(sorted(allowed))}",
                          f"use that room's interface (list: {LIBRARIES})")


def _is_test(tree, path):
    """A test, or a header that only tests include."""
    if path.endswith("_test.cc"):
        return True
    line = f'#include "{path.removeprefix("src/")}"'
    users = [p for p in tree.under("src", suffixes={".h", ".cc"}) if line in tree.text(p)]
    return bool(users) and all(p.endswith("_test.cc") for p in users)


def _dependencies(tree, path, rooms):
    text = tree.text(path)
    for call in ROOM_CALL.finditer(text):
        room, section = call[1], None
        for word in call[2].split():
            if word in KEYWORDS:
                section = word
            elif section == "DEPS" and (room not in rooms or word not in rooms or
                                        rooms.index(word) >= rooms.index(room)):
                yield Problem(path, text.count("\n", 0, call.start()) + 1,
                              f"{room} may not depend on {word}",
                              f"depend only on rooms above {room} in {LAYERS}")
