# SPDX-License-Identifier: Apache-2.0
"""KernelBench files of a checkout: what can be used, PyTorch's own times, verdicts, and what the rewriter gains.

The checkout is not part of the project: --checkout FOLDER, whose KernelBench/level1, level2 and level3 are read. What
the folder of results holds already is kept.
"""
import json
import math
import statistics
import subprocess
import sys

from gpu_check import corpus, program, runs

ABOUT = "KernelBench levels 1 to 3: load, classify, eager baselines; verdicts and gains from the shipped plans"
SWISH = "level1/25_Swish"
WARM = 4          # candidates of the warm verdicts
COMPARED = ["level1/25_Swish", "level1/1_Square_matrix_multiplication_", "level1/36_RMSNorm_", "level1/88_MinGPTNewGelu"]

# A plain script that times eager PyTorch with the worker's method, without a worker.
PLAIN = """
import importlib.util, json, statistics, sys, torch
def load(path):
    spec = importlib.util.spec_from_file_location("problem", path); module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module); return module
torch.backends.cuda.matmul.allow_tf32 = False
flush = torch.empty(1 << 26, dtype=torch.float32, device="cuda")
found = {}
for path in sys.argv[1:]:
    problem = load(path)
    with torch.no_grad(), torch.device("cuda"):
        model = problem.Model(*problem.get_init_inputs()).cuda()
        inputs = [x.cuda() if hasattr(x, "cuda") else x for x in problem.get_inputs()]
        times = []
        for run in range(33):
            flush.add_(1.0); flush.sum()
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record(); model(*inputs); end.record(); end.synchronize()
            times.append(1e6 * begin.elapsed_time(end))
        found[path] = statistics.median(times[3:])
    del model, inputs, problem
    torch.cuda.empty_cache()
print(json.dumps(found))
"""


def levels(options):
    return [options.checkout / "KernelBench" / f"level{n}" for n in (1, 2, 3)]


def surveyed(options):
    return options.program.json("survey", *levels(options), "--device", options.device, "--time", "eager", limit=500)


def plain(options, files):
    """Nanoseconds by file, from the script above."""
    done = subprocess.run([sys.executable, "-c", PLAIN, *map(str, files)], capture_output=True, text=True, timeout=200)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr[-400:]}


def overheads(options):
    """The worker's eager times beside those of the plain script: worker, script, worker, script."""
    files = [options.checkout / "KernelBench" / f"{name}.py" for name in COMPARED]
    ours, theirs = {}, {}
    for _ in range(2):
        answer = options.program.json("survey", *files, "--device", options.device, "--time", "eager", limit=200)
        for one in answer.get("problems", []):
            ours.setdefault(one["file"], []).append(one.get("nanoseconds", {}).get("eager"))
        for file, time in plain(options, files).items():
            theirs.setdefault(file, []).append(time)
    return [{"file": f.stem, "worker_ns": ours.get(str(f)), "script_ns": theirs.get(str(f))} for f in files]


def share(row):
    """The worker's best over the script's best, less one; None where one of them has none."""
    times = [row["worker_ns"], row["script_ns"]]
    return min(times[0]) / min(times[1]) - 1 if all(t and all(t) for t in times) else None


def verdicts(options):
    """Quick verdicts on level1/25 at its own size: one process for one, then a run whose worker stays warm."""
    task = options.checkout / "KernelBench" / f"{SWISH}.py"
    plan = (options.root / "share" / "kernelbench" / f"{SWISH}.cu").read_text()
    alone = options.program.json("eval", task, "--quick", "--device", options.device, limit=200)
    script, folder = options.scratch / "swish.json", options.scratch / "run-swish"
    script.write_text(json.dumps([{"source": plan + f"// {k}\n", "idea": str(k)} for k in range(WARM)]))
    runs.scripted(options, task, script, folder, WARM + 1, limit=200)
    walls = [node["evaluation"].get("wall_seconds") for node in runs.nodes(folder)]
    return {"process_s": alone["seconds"], "outcome": program.outcome(alone), "walls_s": walls,
            "warm_s": statistics.median(walls[1:]) if len(walls) > 1 else None}


def gains(options, result):
    """The rewriter from each shipped plan, to a result that is measured at final depth; each row is kept at once."""
    eager = {"/".join(p["file"].split("/")[-2:]): p.get("nanoseconds", {}).get("eager") for p in result["survey"].get("problems", [])}
    done = {row["task"] for row in result["rows"]}
    for plan in sorted((options.root / "share" / "kernelbench" / "level1").glob("*.cu")):
        task = options.checkout / "KernelBench" / "level1" / f"{plan.stem}.py"
        if options.late() or not task.exists() or not options.wants(plan.stem) or plan.stem in done:
            continue
        answer = options.program.json("optimize", task, "--device", options.device, "--budget", options.budget, "--out",
                                      options.scratch / plan.stem, limit=200)
        own = {k: answer.get(k) for k in ("baseline_ns", "best_ns", "speedup", "evaluations", "stopped_because", "seconds", "error")}
        result["rows"].append({"task": plan.stem, **own, "eager_ns": eager.get(f"level1/{task.name}")})
        print(plan.stem, corpus.figure(own["speedup"]), corpus.figure(own["seconds"]), (own["error"] or "")[-200:], flush=True)
        options.keep(summed(result))


def run(options):
    if options.checkout is None:
        return {"rows": [], "summary": {"missing": "--checkout FOLDER of KernelBench"}}
    earlier = options.earlier("kernelbench") or {}  # seven minutes for the survey: the rest may need a second call
    result = {"rows": earlier.get("rows", []), "summary": {}}
    for name, part in (("survey", surveyed), ("verdicts", verdicts), ("overheads", overheads)):
        result[name] = earlier.get(name) or part(options)
        options.keep(summed(result))
    gains(options, result)
    return summed(result)


def summed(result):
    survey, shares = result.get("survey", {}), [share(r) for r in result.get("overheads", [])]
    solved = [r["speedup"] for r in result["rows"] if r["speedup"]]
    known = [s for s in shares if s is not None]
    timed = sum(1 for p in survey.get("problems", []) if p.get("nanoseconds"))
    result["summary"] = {
        "standings": survey.get("standings"), "with eager times": timed, "survey s": corpus.figure(survey.get("seconds")),
        "verdict on level1/25, process s": corpus.figure(result.get("verdicts", {}).get("process_s")),
        "verdict, warm s": corpus.figure(result.get("verdicts", {}).get("warm_s")),
        "overhead beside a plain script": f"{min(known):.4f} to {max(known):.4f}" if known else None,
        "measured results": len(solved),
        "geometric mean over the plans": corpus.figure(math.exp(sum(map(math.log, solved)) / len(solved))) if solved else None}
    return result


def table(result):
    yield f"{'task':<42} {'plan us':>9} {'best us':>9} {'gain':>6} {'eager us':>9} {'wall s':>7}"
    for r in result["rows"]:
        us = [corpus.figure(r[k] and r[k] / 1e3) for k in ("baseline_ns", "best_ns", "eager_ns")]
        yield f"{r['task']:<42} {us[0]:>9} {us[1]:>9} {corpus.figure(r['speedup']):>6} {us[2]:>9} {r['seconds'] or 0:>7.0f}  {r['error'] or ''}"
