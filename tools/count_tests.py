# SPDX-License-Identifier: Apache-2.0
"""Sums up a test run: count_tests.py REPORTS CTEST_STATUS; called by tools/test.

REPORTS holds ctest's JUnit file and one JSON file for each GoogleTest binary. A binary with a JSON
report counts by its cases, any other test (or a binary that crashed) as one.
"""
import json
import pathlib
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


def main():
    reports, status = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    passed, failed, skipped = 0, [], []
    junit = reports / "ctest.xml"
    tests = xml.etree.ElementTree.parse(junit).getroot().iter("testcase") if junit.exists() else []
    for test in tests:
        name, outcome = test.get("name"), test.get("status")
        report = reports / f"kp_{name}_test.json"
        if report.exists():
            more, bad, missed = cases(report)
            passed, failed, skipped = passed + more, failed + bad, skipped + missed
            if outcome == "fail" and not bad:
                failed.append(f"{name} (ended badly after its tests)")
        elif outcome == "run":
            passed += 1
        elif outcome == "fail":
            failed.append(name)
        else:
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
