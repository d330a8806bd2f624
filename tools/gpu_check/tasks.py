# SPDX-License-Identifier: Apache-2.0
"""The shipped tasks, optimised with measured times, beside the modelled gains and beside PyTorch."""
import json
import math
import pathlib
import shutil

import measuring
from gpu_check import corpus, libraries, program

ABOUT = "the rewriter's gains with measured times on the shipped tasks, beside modelled gains and PyTorch"
ALL = ["attention", "dequant", "histogram", "matmul_f16", "matmul_f32", "maxsim", "retrieval", "rmsnorm", "scan", "smooth.cu",
       "softmax", "stencil", "sum", "swish", "transpose"]


def modelled(options, name):
    file = pathlib.Path(options.runs) / name / "result.json"
    return json.loads(file.read_text())["speedup"] if file.exists() else None


def pytorch(cupy, task, name):
    if cupy is None:
        return {"eager": None, "compiled": None}
    import torch
    axes, tensors, scalars = measuring.read_task(task)
    found = libraries.times(torch, cupy, name, measuring.make_arrays(cupy, axes, tensors), tensors, scalars)
    cupy.get_default_memory_pool().free_all_blocks()
    torch.cuda.empty_cache()
    return found


def finished(options):
    """Rows that a call before this one left in the same folder: all tasks together take longer than a part may."""
    earlier = (options.earlier("tasks") or {}).get("rows", [])
    return [r for r in earlier if r.get("budget") == options.budget and r["speedup"]]


def run(options):
    cupy, rows = measuring.cupy_with_device(), finished(options)
    for entry in ALL:
        name = entry.removesuffix(".cu")
        if not options.wants(name) or options.late() or any(r["task"] == name for r in rows):
            continue
        task, folder = options.root / "tasks" / entry, options.scratch / name
        answer = options.program.json("optimize", task, "--device", options.device, "--budget", options.budget, "--seed",
                                      options.seed, "--out", folder, limit=400)
        if (folder / "best.cu").exists():
            (options.out / "measured-runs").mkdir(parents=True, exist_ok=True)
            shutil.copy(folder / "best.cu", options.out / "measured-runs" / f"{name}.cu")
        shown = options.program.json("show", folder) if folder.exists() else {}
        own = {k: answer.get(k) for k in ("baseline_ns", "best_ns", "speedup", "evaluations", "stopped_because", "seconds", "error")}
        rows.append({"task": name, "budget": options.budget, **own, "modelled_speedup": modelled(options, name), **pytorch(cupy, task, name),
                     "ledger": shown.get("ledger", [])})
        print(name, corpus.figure(own["speedup"]), f"{own['seconds']:.0f} s", flush=True)
        options.keep(summed(rows))
    return summed(rows)


def summed(rows):
    gains = [r["speedup"] for r in rows if r["speedup"]]
    mean = math.exp(sum(map(math.log, gains)) / len(gains)) if gains else None
    return {"rows": rows, "summary": {"geometric mean of the gains": corpus.figure(mean)}}


def table(result):
    yield f"{'task':<12} {'baseline us':>11} {'best us':>9} {'gain':>7} {'modelled':>8} {'eager us':>9} {'compiled':>9} {'wall s':>7}"
    for r in result["rows"]:
        us = [corpus.figure(r[k] and r[k] / 1e3) for k in ("baseline_ns", "best_ns")]
        yield (f"{r['task']:<12} {us[0]:>11} {us[1]:>9} {corpus.figure(r['speedup']):>7} {corpus.figure(r['modelled_speedup']):>8}"
               f" {corpus.figure(r['eager']):>9} {corpus.figure(r['compiled']):>9} {r['seconds']:>7.0f}  {r['error'] or ''}")
