# SPDX-License-Identifier: Apache-2.0
"""What the virtual GPU promised for finished runs (NAME/best.cu and NAME/result.json), measured."""
import json
import pathlib

import measuring
from gpu_check import versions

ABOUT = "finished runs of the virtual GPU, measured: --runs FOLDER"
PAIRS = 60


def run(options):
    cupy = measuring.cupy_with_device()
    runs = [r for r in sorted(pathlib.Path(options.runs).iterdir()) if (r / "best.cu").exists() and options.wants(r.name)]
    results = {r: json.loads((r / "result.json").read_text()) for r in runs}
    tasks = {r: pathlib.Path(result["task"]) for r, result in results.items()}
    baselines = {r: t / "baseline.cu" if t.is_dir() else t for r, t in tasks.items()}
    folder, cubins = versions.compile_all([*baselines.values(), *(r / "best.cu" for r in runs)])
    rows = []
    for r in runs:
        row = versions.compare(cupy, tasks[r], (baselines[r], r / "best.cu"), cubins, PAIRS)
        rows.append({"task": r.name, "baseline_us": row["before_us"], "best_us": row["after_us"],
                     "speedup": row["gain"], "speedup_95": row["gain_95"], "difference_l2": row["difference_l2"],
                     "modelled_baseline_us": results[r]["baseline_ns"] / 1e3,
                     "modelled_best_us": results[r]["best_ns"] / 1e3, "modelled_speedup": results[r]["speedup"]})
    folder.cleanup()
    return {"pairs": PAIRS, "rows": rows, "summary": {}}


def table(result):
    yield (f"{'task':<12} {'baseline':>9} {'modelled':>9} {'best':>9} {'modelled':>9} {'speedup':>8}"
           f" {'95 %':>15} {'modelled':>8} {'difference':>10}")
    for r in result["rows"]:
        low, high = r["speedup_95"]
        yield (f"{r['task']:<12} {r['baseline_us']:>9.1f} {r['modelled_baseline_us']:>9.1f}"
               f" {r['best_us']:>9.1f} {r['modelled_best_us']:>9.1f} {r['speedup']:>8.2f}"
               f" {low:>7.2f} {high:>7.2f} {r['modelled_speedup']:>8.2f} {r['difference_l2']:>10.1e}")
