# SPDX-License-Identifier: Apache-2.0
"""Real kernels, labelled by what helps: the right finding is that of the single fix with the largest measured gain."""
import json

import measuring
from gpu_check import corpus, program, versions

ABOUT = "shipped tasks labelled by the single fix that gains most"
PAIRS = 30
GOOD = ("measured", "not judged")
TIE = 0.9  # a fix within 10 % of the best one labels as well


def gains(options, task, baseline, fixes, cubins):
    """What each fix brings: by events where CuPy is there, else as the program says."""
    cupy, rows = measuring.cupy_with_device(), {}
    for fix in fixes:
        if cupy:
            rows[fix.stem] = versions.compare(cupy, task, (baseline, fix), cubins, PAIRS)
        judged = {} if options.faults_only else options.program.json("eval", task, fix, "--quick", "--device", options.device)
        verdict = program.outcome(judged) if judged else "not judged"
        value = program.speedup(judged)[0] if verdict == "measured" else None
        rows.setdefault(fix.stem, {}).update({"verdict": verdict, "kernelpro": value})
        rows[fix.stem].setdefault("gain", value)
    return rows


def labels(tools, measured):
    """The tools of the best fixes that pass, best first; none when nothing gains 3 %."""
    good = {fix: r["gain"] for fix, r in measured.items() if r["verdict"] in GOOD and r["gain"] and r["gain"] > 1.03}
    most = max(good.values(), default=0)
    return [tools[fix] for fix in sorted(good, key=good.get, reverse=True) if good[fix] >= TIE * most]


def run(options):
    folder = options.root / "bench" / "corpus" / "interventions"
    listed = json.loads((folder / "interventions.json").read_text())
    listed = {name: tools for name, tools in listed.items() if options.wants(name)}
    tasks = {name: options.root / "tasks" / name for name in listed}
    baselines = {n: t / "baseline.cu" if t.is_dir() else t for n, t in tasks.items()}
    fixes = {n: [folder / n / f"{fix}.cu" for fix in tools] for n, tools in listed.items()}
    kept, cubins = (versions.compile_all([*baselines.values(), *(f for fs in fixes.values() for f in fs)])
                    if measuring.cupy_with_device() else (None, {}))
    rows = []
    for name, tools in listed.items():
        answer = options.program.json("diagnose", tasks[name], "--device", options.device)
        measured = gains(options, tasks[name], baselines[name], fixes[name], cubins)
        first, right = program.named(answer), labels(tools, measured)
        rows.append({"task": name, "fixes": {fix: {"tool": tools[fix], **r} for fix, r in measured.items()},
                     "labels": right, "first": program.shortened(first),
                     "found": [program.shortened(f) for f in program.findings(answer) or []],
                     "hit": bool(first) and first["tool"] in right, "error": answer.get("error")})
        print(".", end="", flush=True)
    print()
    if kept:
        kept.cleanup()
    judged = [r for r in rows if r["labels"]]
    return {"rows": rows, "summary": {"named first": corpus.share(judged, "hit")}}


def table(result):
    yield f"{'task':<12} {'label':<38} {'named first':<20} fixes"
    for r in result["rows"]:
        first = (r["first"] or {}).get("tool", r["error"] or "-") + ("" if r["hit"] else " !")
        fixes = ", ".join(f"{fix} {corpus.figure(f['gain'])}{'' if f['verdict'] in GOOD else ' (' + f['verdict'] + ')'}"
                          for fix, f in r["fixes"].items())
        yield f"{r['task']:<12} {', '.join(r['labels']) or '-':<38} {first:<20} {fixes}"
