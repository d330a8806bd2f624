# SPDX-License-Identifier: Apache-2.0
"""Bad and good candidates in random order in one process: each gets the verdict that it gets alone."""
import json
import random
from concurrent import futures

from gpu_check import program, runs

SIDE_BY_SIDE = 4  # processes that judge alone
ABOUT = "mixed good and bad candidates in random order, each with the same verdict as alone"


def verdict(evaluation):
    """What a candidate was told, without figures that differ from run to run."""
    details = evaluation.get("details") or {}
    more = details.get("rule") or details.get("fault") or details.get("phase")
    return program.outcome({"evaluation": evaluation}) + (f": {more}" if more else "")


def run(options):
    folder = options.root / "bench" / "corpus" / "hostile"
    task, files = folder / "task.cu", sorted(f for f in folder.glob("*/*.cu") if options.wants(f.stem))
    alone, seconds = {}, {}
    with futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:  # verdicts are wanted here, not times
        answers = pool.map(lambda f: options.program.json("eval", task, f, "--quick", "--device", options.device, limit=120), files)
    for file, answer in zip(files, answers):
        alone[file.stem] = verdict(answer.get("evaluation", answer)) if "error" not in answer else program.outcome(answer)
        seconds[file.stem] = answer["seconds"]
    dice = random.Random(options.seed)
    order = [dice.choice(files) for _ in range(options.repeats)]
    script, place = options.scratch / "script.json", options.scratch / "run"
    script.write_text(json.dumps([{"source": f.read_text() + f"// {k}\n", "idea": f.stem} for k, f in enumerate(order)]))
    answer = runs.scripted(options, task, script, place, options.repeats + 1, limit=400)
    judged = runs.nodes(place)[1:]
    rows = [{"candidate": n["idea"], "verdict": verdict(n["evaluation"]), "alone": alone[n["idea"]],
             "seconds": n["evaluation"].get("wall_seconds")} for n in judged]
    return {"rows": rows, "alone": alone, "alone_seconds": seconds, "error": answer.get("error"),
            "kinds": {f.stem: f.parent.name for f in files},
            "summary": {"judged": f"{len(rows)} of {options.repeats} in {answer['seconds']:.0f} s",
                        "same verdict as alone": f"{sum(r['verdict'] == r['alone'] for r in rows)} of {len(rows)}",
                        "the run ended with": answer.get("error") or answer.get("stopped_because")}}


def table(result):
    yield f"{'candidate':<22} {'':<5} {'alone':<40} {'s':>5}  {'mixed':>5} {'other verdicts'}"
    for name, alone in sorted(result["alone"].items(), key=lambda item: (result["kinds"][item[0]], item[0])):
        own = [r for r in result["rows"] if r["candidate"] == name]
        others = sorted({r["verdict"] for r in own} - {alone})
        yield (f"{name:<22} {result['kinds'][name]:<5} {alone[:40]:<40} {result['alone_seconds'][name]:>5.1f}"
               f"  {len(own):>5} {'; '.join(others) or '-'}")
