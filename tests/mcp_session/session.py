#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays a recorded session of an MCP client against `kernelpro mcp` and compares the answers.

session.py PROGRAM FOLDER TASK

FOLDER/session.jsonl holds every message in order, one a line: {"to": "server" or "client",
"message": ...}. The session finds the task folder TASK under its name in its root, which stands as
ROOT in messages. UPDATE_GOLDENS=1 rewrites what the server says.
"""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

VIRTUAL = ["--device", "vgpu:h200"]


class Server:
    def __init__(self, program, root):
        self.root = str(root)
        self.process = subprocess.Popen([program, "mcp", "--root", self.root, *VIRTUAL], cwd=root,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def send(self, message):
        self.process.stdin.write(json.dumps(message).replace("ROOT", self.root) + "\n")
        self.process.stdin.flush()

    def listen(self, number):
        """All messages up to the answer to request `number`."""
        heard = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"the server ended before it answered request {number}")
            heard.append(json.loads(line.replace(self.root, "ROOT")))
            if heard[-1].get("id") == number:
                return heard

    def close(self):
        self.process.stdin.close()
        if self.process.wait(timeout=60) != 0:
            sys.exit(f"the server ended with {self.process.returncode}")


def play(program, requests, task):
    """All messages, those of the server as it gives them now."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(os.path.realpath(folder))
        shutil.copytree(task, root / task.name)
        server = Server(program, root)
        lines = []
        for request in requests:
            lines.append({"to": "server", "message": request})
            server.send(request)
            if "id" in request:
                lines += [{"to": "client", "message": m} for m in server.listen(request["id"])]
        server.close()
    return lines


def comparable(line):
    """Without the version and without prompts, whose wording has tests of its own; the text that
    repeats the data is compared as data."""
    result = line["message"].get("result", {})
    result.get("serverInfo", {}).pop("version", None)
    if "structuredContent" in result:
        told = [json.loads(part["text"]) for part in result["content"]]
        result["content"] = "the same" if told == [result["structuredContent"]] else told
        for ask in result["structuredContent"].get("asks", []):
            ask["prompt"] = bool(ask["prompt"])
    return line


def same_number(was, now):
    numbers = all(isinstance(value, (int, float)) for value in (was, now))
    return numbers and math.isclose(was, now, rel_tol=1e-6)


def differences(was, now, place=""):
    """Where two values differ, as lines."""
    if isinstance(was, dict) and isinstance(now, dict):
        for key in sorted({*was, *now}):
            yield from differences(was.get(key), now.get(key), f"{place}/{key}")
    elif isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for number, (one, other) in enumerate(zip(was, now)):
            yield from differences(one, other, f"{place}/{number}")
    elif was != now and not same_number(was, now):
        yield f"{place}: was {json.dumps(was)[:300]}, is {json.dumps(now)[:300]}"


def main():
    program, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    file = folder / "session.jsonl"
    was = [json.loads(line) for line in file.read_text().splitlines()]
    requests = [line["message"] for line in was if line["to"] == "server"]
    now = play(program, requests, pathlib.Path(sys.argv[3]))
    if os.environ.get("UPDATE_GOLDENS"):
        file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in now))
        return
    changed = list(differences([comparable(line) for line in was], [comparable(line) for line in now]))
    if changed:
        sys.exit("\n".join([f"{file}: the server answers differently; UPDATE_GOLDENS=1 rewrites it",
                            *changed[:20]]))
    print(f"{len(requests)} requests were answered as recorded")


main()
