# SPDX-License-Identifier: Apache-2.0
"""Published candidates of bench/claims, honest and not: the verdict that each gets beside the one that it must get."""
from gpu_check import corpus

ABOUT = "published candidates in Python, honest and not, and the verdict that each must get"
EXPECTED = {"cuda": "passes", "triton": "passes", "library": "passes", "half": "coarser", "kept": "wrong", "clock": "forged",
            "part": "wrong", "fault": "refused"}


def run(options):
    folder = options.root / "bench" / "claims"
    files = [folder / "candidates" / f"{name}.py" for name in EXPECTED if options.wants(name)]
    answer = options.program.json("claims", *files, "--tasks", folder / "softsign.py", "--claimed", folder / "claimed.json",
                                  "--device", options.device, limit=options.limit)
    rows = [{"name": claim["candidate"].rsplit("/", 1)[-1].removesuffix(".py"), **claim} for claim in answer.get("claims", [])]
    for row in rows:
        row["candidate"], row["task"] = row["name"] + ".py", "softsign.py"  # folders of one machine
        row["expected"] = EXPECTED.get(row["name"])
    right = sum(1 for row in rows if row["verdict"] == row["expected"])
    return {"rows": rows, "error": answer.get("error"),
            "summary": {"right verdicts": f"{right} of {len(files)}", "seconds": corpus.figure(answer.get("seconds"))}}


def table(result):
    yield f"{'candidate':<10} {'verdict':<10} {'must be':<10} {'class':<6} {'us':>9} {'over eager':>11} {'over fastest':>13} {'own':>6} {'s':>6}  reason"
    for r in result["rows"]:
        eager = r["over_eager"] and r["over_eager"]["median"]
        figures = [corpus.figure(r["nanoseconds"] and r["nanoseconds"] / 1e3), corpus.figure(eager), corpus.figure(r["over_fastest"]),
                   corpus.figure(r["own_share"]), corpus.figure(r["seconds"])]
        yield (f"{r['name']:<10} {r['verdict']:<10} {r['expected']:<10} {r['precision'] or '':<6} {figures[0]:>9} {figures[1]:>11} {figures[2]:>13} "
               f"{figures[3]:>6} {figures[4]:>6}  {r['reason'][:90]}")
