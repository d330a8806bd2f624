# SPDX-License-Identifier: Apache-2.0
"""The baseline beside itself: how often the 95 % interval contains 1, and how wide it is."""
import statistics

from gpu_check import program

ABOUT = "A/A: the baseline judged as its own candidate"
TASKS = ["transpose", "swish", "softmax", "matmul_f32", "sum"]


def run(options):
    tasks, rows = [t for t in TASKS if options.wants(t)], []
    for number in range(options.repeats):
        if options.late():
            break
        task = options.root / "tasks" / tasks[number % len(tasks)]
        answer = options.program.json("eval", task, task / "baseline.cu", "--quick", "--device", options.device,
                                      "--seed", number + 1)
        value, low, high = program.speedup(answer)
        known = low is not None
        rows.append({"task": task.name, "ratio": value, "interval": [low, high], "outcome": program.outcome(answer),
                     "nanoseconds": (answer.get("evaluation", {}).get("details") or {}).get("nanoseconds"),
                     "contains_1": known and low <= 1 <= high, "half_width": (high - low) / 2 if known else None})
        options.keep({"rows": rows, "summary": summary(rows)})
    return {"rows": rows, "summary": summary(rows)}


def summary(rows):
    known = [r for r in rows if r["half_width"] is not None]
    long = [r["half_width"] for r in known if r["nanoseconds"] > 50e3]
    return {"interval contains 1": f"{sum(r['contains_1'] for r in known)} of {len(known)}",
            "without an interval": len(rows) - len(known),
            "half-width over 50 us, median and largest": f"{statistics.median(long):.4f}, {max(long):.4f}" if long else "-",
            "half-width under 1 % over 50 us": f"{sum(w < 0.01 for w in long)} of {len(long)}"}


def table(result):
    yield f"{'task':<12} {'runs':>4} {'contain 1':>9} {'ratio: least':>12} {'most':>7} {'half-width: median':>18} {'largest':>8}"
    for task in dict.fromkeys(r["task"] for r in result["rows"]):
        own = [r for r in result["rows"] if r["task"] == task and r["half_width"] is not None]
        if not own:
            yield f"{task:<12} no interval: {next(r['outcome'] for r in result['rows'] if r['task'] == task)}"
            continue
        ratios, widths = [r["ratio"] for r in own], [r["half_width"] for r in own]
        yield (f"{task:<12} {len(own):>4} {sum(r['contains_1'] for r in own):>9} {min(ratios):>12.4f} {max(ratios):>7.4f}"
               f" {statistics.median(widths):>18.4f} {max(widths):>8.4f}")
