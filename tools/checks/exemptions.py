# SPDX-License-Identifier: Apache-2.0
"""tools/exempt.txt: one exception a line, `rule path reason`. An unused one is itself a problem."""
import fnmatch

from checks.tree import Problem

FILE = "tools/exempt.txt"


class Exemptions:
    def __init__(self, tree):
        self.entries = []
        self.malformed = []
        for number, line in enumerate(tree.lines(FILE) if tree.has(FILE) else [], 1):
            words = line.split(None, 2)
            if not words or words[0].startswith("#"):
                continue
            if len(words) < 3:
                self.malformed.append(Problem(FILE, number, "no reason", "write: rule path reason"))
            else:
                self.entries.append({"line": number, "rule": words[0], "path": words[1], "used": False})

    def covers(self, rule, path):
        hit = False
        for entry in self.entries:
            if entry["rule"] == rule and fnmatch.fnmatch(path, entry["path"]):
                entry["used"] = hit = True
        return hit

    def problems(self, rules):
        stale = [Problem(FILE, entry["line"], f"nothing needs this exemption of {entry['path']}",
                         "remove the line")
                 for entry in self.entries if not entry["used"] and entry["rule"] in rules]
        return self.malformed + stale
