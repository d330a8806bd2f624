#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists and calls every tool of `kernelpro mcp` with the official MCP inspector.

inspect_tools.py PROGRAM BUILD_FOLDER SOURCE_FOLDER

The inspector comes from npm, in the versions of package-lock.json, into BUILD_FOLDER. Without npm,
or without a registry that answers, the exit status is 77: skipped.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
PATIENCE_S = 300
GOOD = """/* kernelpro
launch twice<<<ceil_div(rows * cols, 256), 256>>>(x, y, rows * cols)
*/
extern "C" __global__ void twice(const float* x, float* y, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = 2 * x[i];
}
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def npm(arguments, folder):
    return subprocess.run(["npm", *arguments], cwd=folder, capture_output=True, text=True,
                          timeout=PATIENCE_S)


def install(here, build):
    """The inspector's script, installed when it is not there yet."""
    if not shutil.which("npm") or not shutil.which("node"):
        skip("npm is missing: it brings the inspector (Debian: apt-get install npm)")
    folder = build / "mcp_inspector"
    script = folder / "node_modules/@modelcontextprotocol/inspector-cli/build/cli.js"
    lock = (here / "package-lock.json").read_bytes()
    done = folder / "installed"
    if script.exists() and done.exists() and done.read_bytes() == lock:
        return script
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(here / name, folder / name)
    installed = npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], folder)
    if installed.returncode != 0:
        if npm(["ping", "--fetch-retries=0", "--fetch-timeout=15000"], folder).returncode != 0:
            skip("npm reaches no registry, and the inspector is not installed yet")
        sys.exit(f"npm could not install the inspector:\n{installed.stderr}")
    done.write_bytes(lock)
    return script


class Inspector:
    def __init__(self, script, program, root, code):
        self.command = ["node", str(script), "--cli", str(program), "mcp", "--root", str(root),
                        "--code-root", str(code), "--device", "vgpu"]
        # It looks for its own package.json from where it is started.
        self.folder = script.parent

    def ask(self, *arguments):
        run = subprocess.run([*self.command, "--method", *arguments], cwd=self.folder,
                             capture_output=True, text=True, timeout=PATIENCE_S)
        if run.returncode != 0:
            sys.exit(f"the inspector failed: {arguments}\n{run.stdout}{run.stderr}")
        return json.loads(run.stdout)

    def call(self, tool, **arguments):
        pairs = [f"{key}={value}" for key, value in arguments.items()]
        flags = ["--tool-arg", *pairs] if pairs else []
        result = self.ask("tools/call", "--tool-name", tool, *flags)
        if result.get("isError"):
            sys.exit(f"{tool} failed: {result['content']}")
        print(f"{tool}: called")
        return result["structuredContent"]


def expect(truth, what):
    if not truth:
        sys.exit(f"wrong: {what}")


def prepare(root, source):
    for name in ("twice.cu", "twice.reference.cc"):
        shutil.copy(source / "src/mcp/testdata" / name, root / name)
    (root / "good.cu").write_text(GOOD)
    (root / "code").mkdir()
    (root / "code/copy.h").write_text("// Tiled copies.\nvoid tiled_copy();\n")


def call_every_tool(inspector):
    """The names of the tools that were called."""
    begun = inspector.call("optimize_start", task="twice.cu", run="run")
    expect(begun["baseline"]["outcome"] == "measured", "the baseline runs")
    asked = inspector.call("ask", run="run")
    expect(asked["asks"][0]["node"] == 0, "the search wants the baseline improved")
    won = inspector.call("submit_candidate", run="run", node=0, file="good.cu", idea="side by side")
    expect(won["verdict"]["speedup"]["value"] > 1.5, "the candidate wins")
    expect(len(inspector.call("show_tree", run="run")["nodes"]) == 2, "the tree has two nodes")
    expect(inspector.call("explain", run="run", node=1)["idea"] == "side by side", "the idea is kept")
    expect(inspector.call("best", run="run", final="true")["final"], "the best is judged in full")
    diagnosis = inspector.call("diagnose", task="twice.cu")["diagnosis"]
    expect(diagnosis["kernels"][0]["findings"], "the baseline has findings")
    expect(len(inspector.call("list_tools")["tools"]) >= 15, "all diagnosis tools are listed")
    hit = inspector.call("search_code", query="tiled copy")["hits"][0]
    lines = inspector.call("read_code", path=hit["path"], first=1, last=1)
    expect(lines["text"] == "// Tiled copies.\n", "the first line is read")
    return {"optimize_start", "ask", "submit_candidate", "show_tree", "explain", "best", "diagnose",
            "list_tools", "search_code", "read_code"}


def main():
    program, build, source = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    script = install(source / "tests/mcp_inspector", build)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(os.path.realpath(folder))
        prepare(root, source)
        inspector = Inspector(script, program, root, root / "code")
        listed = {tool["name"] for tool in inspector.ask("tools/list")["tools"]}
        called = call_every_tool(inspector)
        expect(listed == called, f"listed and called are the same: {listed ^ called}")
    print(f"the inspector listed and called {len(called)} tools")


main()
