# SPDX-License-Identifier: Apache-2.0
"""tools/check --self-test: violations planted in a small tree are found, and nothing else is."""
import pathlib
import shutil
import tempfile

from checks import cpp
from checks.tree import Tree

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "#pragma once\n"

SOUND = {
    "tools/layers.txt": "# SPDX-License-Identifier: Apache-2.0\nbase\nmodel\ncli\n",
    "tools/libraries.txt": "# SPDX-License-Identifier: Apache-2.0\nsqlite3 store\ngtest/ tests\n",
    ".clang-format": "BasedOnStyle: Google\n",
    "src/base/CMakeLists.txt":
        "# SPDX-License-Identifier: Apache-2.0\nkp_room(base SOURCES size.cc TESTS size_test.cc)\n",
    "src/base/size.h": HEADER + "#include <cstddef>\nstd::size_t size();\n",
    "src/base/size.cc": SPDX + '#include "base/size.h"\n\nstd::size_t size() { return 1; }\n',
    "src/base/size_test.cc": SPDX + "#include <gtest/gtest.h>\n",
    "src/model/shape.h": HEADER + '#include "base/size.h"\n',
}

# rule, path, content, what the message must hold.
PLANTED = [
    ("layers", "src/base/up.h", HEADER + '#include "model/shape.h"\n', "base may not include model"),
    ("layers", "src/base/near.h", HEADER + '#include "size.h"\n', "names no room"),
    ("layers", "src/base/sql.h", HEADER + "#include <sqlite3.h>\n", "is kept to store"),
    ("layers", "src/attic/a.h", HEADER, "room attic is not in"),
    ("layers", "src/model/CMakeLists.txt",
     "# SPDX-License-Identifier: Apache-2.0\nkp_room(model DEPS base cli)\n", "not depend on cli"),
    ("sources", "src/base/lost.cc", SPDX, "no CMake list"),
    ("catalogue", "src/diagnose/tools/spill.cc",
     SPDX + "std::unique_ptr<Tool> make_spill() { return {}; }\n", "spill is missing from"),
    ("catalogue", "src/diagnose/tools/spill.cc",
     SPDX + "std::unique_ptr<Tool> make_spill() { return {}; }\n", "spill has no golden case"),
    ("catalogue", "src/cli/play.cc",
     SPDX + "void add_play(CLI::App& app, Run& run) {}\n", "play is missing from"),
    ("size", "src/base/long.h", HEADER + "int a;\n" * 501, "503 lines"),
    ("function", "src/base/long.cc", SPDX + "void run() {\n" + "  f();\n" * 60 + "}\n", "run has 62"),
    ("function", "src/base/wide.h", HEADER + "inline void f(int, int, P<int, 2>, int, int, int) {}\n",
     "f has 6 parameters"),
    ("function", "src/base/fat.h",
     HEADER + "class Fat {\n" + "  virtual void f() const = 0;\n" * 7 + "};\n", "7 methods"),
    ("name", "src/base/names.h", HEADER + "struct TreeManager {};\n", "TreeManager"),
    ("name", "src/base/text_util.h", HEADER, "file name"),
    ("pattern", "src/base/print.cc", SPDX + 'void f() { printf("x"); }\n', "only cli prints"),
    ("pattern", "src/base/todo.h", HEADER + "// TO" + "DO: later\n", "an open end"),
    ("pattern", "docs/a.md", "See /ho" + "me/someone/x\n", "a path of one machine"),
    ("text", "src/base/bare.h", "#pragma once\n", "no SPDX line"),
    ("text", "src/base/twice.h", SPDX, "no include guard"),
    ("text", "docs/b.md", "blank \n", "blanks at the end"),
    ("text", "docs/c.md", "caf\u00e9\n", "not ASCII"),
    ("text", "docs/d.md", "no end", "one line end"),
    ("format", "src/base/wild.h", HEADER + "int  a ;\n", "not laid out"),
    ("header-alone", "src/base/needy.h", HEADER + "std::string name();\n", "does not compile alone"),
]

SAMPLE = """
namespace a {
template <class T, int N = 3>
struct Point final { int x; };
Foo::Foo(int a, std::map<int, int> b) : a_{a}, b_(b) { if (a) { g(); } }
constexpr int kTable[] = {1, 2};
const auto value = f(3);
auto g() -> int { return [] { return 1; }(); }
bool operator()(int a, int b) const noexcept(true) { return a < b; }
}
"""


SKIPPED = 77  # what ctest takes as "not run here"


def run(rules):
    if not shutil.which("clang-format"):
        print("tools/check --self-test needs clang-format: apt-get install clang-format")
        return SKIPPED
    failures = _sample()
    with tempfile.TemporaryDirectory() as folder:
        _write(folder, SOUND)
        for name, rule in rules.items():
            failures += [f"sound tree: {p}" for p in rule.problems(Tree(pathlib.Path(folder)))]
    with tempfile.TemporaryDirectory() as folder:
        _write(folder, SOUND | {path: content for _, path, content, _ in PLANTED})
        tree = Tree(pathlib.Path(folder))
        found = {name: list(rule.problems(tree)) for name, rule in rules.items()}
        for name, path, _, message in PLANTED:
            if not any(p.path == path and message in str(p) for p in found[name]):
                failures.append(f"{name} did not find '{message}' in {path}")
    for failure in failures:
        print(failure)
    print(f"tools/check --self-test: {len(PLANTED)} planted, {len(failures)} failures")
    return 1 if failures else 0


def _sample():
    functions = [(s.head, cpp.parameters(s.head)) for s in cpp.scopes(SAMPLE) if s.kind == "function"]
    counts = [count for _, count in functions]
    return [] if counts == [2, 0, 2] else [f"functions of the sample: {functions}"]


def _write(folder, files):
    for path, content in files.items():
        target = pathlib.Path(folder) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
