# SPDX-License-Identifier: Apache-2.0
"""Sums up a test run: count_tests.py REPORTS CTEST_STATUS; called by tools/test.

REPORTS holds ctest's list of tests (tests.json), its outcome (ctest.xml) and the JSON reports that
GoogleTest binaries left. A test with a report counts by its cases, any other test (a script, or a
binary that crashed) as one.
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree


def cases(report):
    """(passed, failed, skipped) and the names of those that failed."""
    passed, failed, skipped = 0, [], []
    for suite in json.loads(report.read_text())["testsuites"]:
        for case in suite["testsuite"]:
            name = f"{suite['name']}.{case['name']}"
            if case.get("failures"):
                failed.append(name)
            elif case.get("result") == "SKIPPED" or case.get("status") == "NOTRUN":
                skipped.append(name)
            else:
                passed += 1
    return passed, failed, skipped


def reports_by_program(folder):
    """GoogleTest names a report after the binary, with _1, _2 ... when it ran several times."""
    found = {}
    for report in sorted(folder.glob("*.json")):
        if report.name != "tests.json":
            found.setdefault(re.sub(r"_\d+$", "", report.stem), []).append(report)
    return found


def main():
    folder, status = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    listed = json.loads((folder / "tests.json").read_text())["tests"]
    programs = {t["name"]: pathlib.PurePath(t.get("command", ["?"])[0]).name for t in listed}
    reports = reports_by_program(folder)
    outcomes = folder / "ctest.xml"
    tests = xml.etree.ElementTree.parse(outcomes).iter("testcase") if outcomes.exists() else []
    passed, failed, skipped = 0, [], []
    for test in tests:
        name, outcome = test.get("name"), test.get("status")
        counted = [cases(report) for report in reports.pop(programs.get(name), [])]
        for more, bad, missed in counted:
            passed, failed, skipped = passed + more, failed + bad, skipped + missed
        if outcome == "fail" and not any(bad for _, bad, _ in counted):
            failed.append(name)
        elif outcome == "run" and not counted:
            passed += 1
        elif outcome not in ("run", "fail"):
            skipped.append(name)
    if status != 0 and not failed:
        failed.append("ctest")
    for kind, names in (("skipped", skipped), ("failed", failed)):
        for name in names:
            print(f"{kind}: {name}")
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
