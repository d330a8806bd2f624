# SPDX-License-Identifier: Apache-2.0
"""By tool: how often its advice was tried in the runs of part `tasks`, what it promised and what came of it."""
import statistics

from gpu_check import corpus

ABOUT = "by tool: tried, hits, promised and realised gains; needs the result of `tasks`"
HIT = 1.05


def run(options):
    done = options.earlier("tasks")
    if done is None:
        return {"rows": [], "summary": {"missing": "run part `tasks` with the same --out first"}}
    lines = {}
    for row in done["rows"]:
        for line in row["ledger"]:
            lines.setdefault(line["tool"], []).append(line)
    return {"rows": [line_of(tool, own) for tool, own in sorted(lines.items())], "summary": {}}


def line_of(tool, own):
    """One row of the ledger. Its lines hold a predicted range and the gain over the parent, when that was measured."""
    realised = [line["gain"] for line in own if line.get("gain")]
    ranges = [range_of(line) for line in own]
    within = [low <= line["gain"] <= high for line, (low, high) in zip(own, ranges) if line.get("gain")]
    return {"tool": tool, "fires": len(own), "measured": len(realised), "hits": sum(g >= HIT for g in realised),
            "promised": [statistics.median(r[i] for r in ranges) for i in (0, 1)],
            "realised": statistics.median(realised) if realised else None, "within": sum(within)}


def range_of(line):
    return line["predicted_low"], line["predicted_high"]


def table(result):
    yield f"{'tool':<20} {'tried':>5} {'passed':>6} {'gained':>6} {'promised':>13} {'realised':>8} {'within':>6}"
    for r in result["rows"]:
        promised = f"{r['promised'][0]:.2f} to {r['promised'][1]:.2f}"
        yield (f"{r['tool']:<20} {r['fires']:>5} {r['measured']:>6} {r['hits']:>6} {promised:>13}"
               f" {corpus.figure(r['realised']):>8} {r['within']:>6}")
