# SPDX-License-Identifier: Apache-2.0
"""Candidates that one precaution of the harness alone sees through, each judged at final depth or at the one that shows it."""
from gpu_check import program

ABOUT = "precautions of final verdicts: leftovers, other schedules, two clocks, compute-sanitizer, labels"
SANITIZER = "compute-sanitizer: "
# candidate, task, quick, outcome, what the verdict's text holds, whether compute-sanitizer must be there
CASES = [
    ("honest", "task", False, "measured", "", False),
    ("stale_shared", "task", True, "wrong answer", "", False),
    ("stale_local", "task", True, "wrong answer", "", False),
    ("order", "task", False, "wrong answer", "", False),
    ("reads_beyond", "task", False, "crashed", "memory", True),
    ("reads_unwritten", "task", False, "crashed", "uninitialised", True),
    ("shared_race", "task", False, "crashed", "race", True),
    ("honest", "contraction", True, "measured", "flop-floor", False),
]


def judged(options, case):
    candidate, task, quick, wanted, part, needs_tool = case
    folder = options.root / "tests" / "gpu" / "precautions"
    depth = ["--quick"] if quick else []
    answer = options.program.json("eval", folder / f"{task}.cu", folder / f"{candidate}.cu", *depth, "--device", options.device, limit=100)
    evaluation = answer.get("evaluation", {})
    details, notes = evaluation.get("details") or {}, evaluation.get("notes", [])
    told = " ".join(str(details.get(k, "")) for k in ("message", "fault", "reason", "rule"))
    told += " ".join(label["name"] for label in details.get("labels", []))
    missing = any(n.startswith(SANITIZER + "not done") for n in notes)
    seen = program.outcome(answer)
    right = seen.startswith(wanted) and part in told
    return {"candidate": candidate, "task": task, "depth": "quick" if quick else "final", "wanted": f"{wanted} {part}".strip(),
            "outcome": seen, "told": told.strip()[:300], "verdict": "right" if right else "not done" if needs_tool and missing else "wrong",
            "seconds": answer["seconds"], "phases": evaluation.get("phases_seconds", {}),
            "notes": [n for n in notes if "CUPTI" in n or n.startswith(SANITIZER)]}


def run(options):
    rows = []
    for case in CASES:
        if options.late():
            break
        if options.wants(case[0]):
            rows.append(judged(options, case))
            options.keep({"rows": rows, "summary": summary(rows)})
    return {"rows": rows, "summary": summary(rows)}


def summary(rows):
    count = {word: sum(r["verdict"] == word for r in rows) for word in ("right", "wrong", "not done")}
    honest = [r for r in rows if r["candidate"] == "honest" and r["depth"] == "final"]
    return {"as expected": f"{count['right']} of {len(rows)}", "missed": count["wrong"], "not done on this machine": count["not done"],
            "two clocks": next((n for r in honest for n in r["notes"] if "CUPTI" in n), "-"),
            "sanitizer": next((n for r in honest for n in r["notes"] if n.startswith(SANITIZER)), "-")}


def table(result):
    yield f"{'candidate':<16} {'depth':<6} {'expected':<28} {'outcome':<14} {'':<9} {'s':>6}  told"
    for r in result["rows"]:
        yield (f"{r['candidate']:<16} {r['depth']:<6} {r['wanted']:<28} {r['outcome'][:14]:<14} {r['verdict']:<9}"
               f" {r['seconds']:>6.1f}  {r['told'][:60]}")
