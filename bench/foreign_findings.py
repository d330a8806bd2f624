#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/propose/prompts/placebo.json: what the diagnosis says of each shipped baseline on the
virtual GPU. bench/foreign_findings.py KERNELPRO [--out FILE]"""
import argparse
import json
import pathlib
import sqlite3
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def diagnosis_of(program, task, folder):
    run = folder / task.stem
    subprocess.run([program, "optimize", task, "--device", "vgpu:h200", "--budget", "1", "--out", run],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    database = sqlite3.connect(run / "run.db")
    row = database.execute("SELECT diagnosis FROM verdict WHERE diagnosis IS NOT NULL ORDER BY id").fetchone()
    diagnosis = json.loads(row[0])
    diagnosis["not_applicable"] = []  # names counters, and no prompt shows it
    return diagnosis


def tasks():
    folders = {path.parent for path in (ROOT / "tasks").glob("*/definition.json")}
    return sorted(folders | set((ROOT / "tasks").glob("*.cu")))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "src/propose/prompts/placebo.json")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = [{"task": task.stem, "diagnosis": diagnosis_of(arguments.program, task, pathlib.Path(folder))}
                 for task in tasks()]
    lines = ",\n".join(json.dumps(entry, sort_keys=True) for entry in found)
    arguments.out.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
