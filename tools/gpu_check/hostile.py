# SPDX-License-Identifier: Apache-2.0
"""Bad and good candidates in random order in one process: each gets the verdict that it gets alone.

What is known is kept after each candidate; a call that ends early (--limit, a lost machine) is taken up by the next one.
"""
import hashlib
import json
import random
import signal
import sqlite3
import subprocess
import time
from concurrent import futures

from gpu_check import program, runs

SIDE_BY_SIDE = 4  # processes that judge alone
LOOK, GRACE = 0.5, 30  # seconds between looks at a run; for a run to end after Ctrl-C
ABOUT = "mixed good and bad candidates in random order, each with the same verdict as alone"


def verdict(evaluation):
    """What a candidate was told, without figures that differ from run to run."""
    details = evaluation.get("details") or {}
    more = details.get("rule") or details.get("fault") or details.get("phase")
    return program.outcome({"evaluation": evaluation}) + (f": {more}" if more else "")


class Record:
    """What is known so far, as it is written."""

    def __init__(self, options, files):
        self.options, self.files = options, files
        text = "".join(f.read_text() for f in files) + f"{options.seed} {options.repeats} {options.device}"
        earlier = options.earlier("hostile") or {}
        same = earlier.get("script") == hashlib.sha256(text.encode()).hexdigest()
        kept = earlier if same else {}
        self.result = {"script": hashlib.sha256(text.encode()).hexdigest(), "alone": kept.get("alone", {}),
                       "alone_seconds": kept.get("alone_seconds", {}), "rows": kept.get("rows", []), "alone_again": kept.get("alone_again", {}), "ended": kept.get("ended", []),
                       "kinds": {f.stem: f.parent.name for f in files}}

    def whole(self):
        rows, alone = self.result["rows"], self.result["alone"]
        agree = sum(r["verdict"] == alone.get(r["candidate"]) for r in rows)
        seconds = sum(r["seconds"] or 0 for r in rows)
        self.result["summary"] = {"judged": f"{len(rows)} of {self.options.repeats}, {seconds / max(len(rows), 1):.2f} s each",
                                  "same verdict as alone": f"{agree} of {len(rows)}", "runs that ended by themselves": len(self.result["ended"])}
        return self.result

    def add(self, node):
        row = {"candidate": node["idea"], "verdict": verdict(node["evaluation"]), "seconds": node["evaluation"].get("wall_seconds")}
        self.result["rows"].append({**row, "alone": self.result["alone"].get(row["candidate"])})
        agrees = "" if row["verdict"] == self.result["alone"].get(row["candidate"]) else "  NOT AS ALONE"
        print(f"{len(self.result['rows']):>4} of {self.options.repeats}  {row['candidate']:<22} {row['verdict']}  "
              f"{row['seconds'] or 0:.1f} s{agrees}", flush=True)
        self.options.keep(self.whole())


def judge_alone(options, record):
    """Each in a process of its own; verdicts are wanted here, not times."""
    def judge(file):
        if options.late():
            return None
        return options.program.json("eval", options.task, file, "--quick", "--device", options.device, limit=60)

    missing = [f for f in record.files if f.stem not in record.result["alone"]]
    with futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        for file, answer in zip(missing, pool.map(judge, missing)):
            if answer is None:
                continue
            evaluation = answer.get("evaluation", answer)
            record.result["alone"][file.stem] = program.outcome(answer) if "error" in answer else verdict(evaluation)
            record.result["alone_seconds"][file.stem] = answer["seconds"]
            options.keep(record.whole())


def judge_again(options, record):
    """Alone and with nothing beside it: where a verdict differed, the first might be the one that was disturbed."""
    result = record.result
    for name in sorted({r["candidate"] for r in result["rows"] if r["verdict"] != result["alone"].get(r["candidate"])}):
        if options.late() or name in result.setdefault("alone_again", {}):
            continue
        file = next(f for f in record.files if f.stem == name)
        answer = options.program.json("eval", options.task, file, "--quick", "--device", options.device, limit=60)
        seen = program.outcome(answer) if "error" in answer else verdict(answer.get("evaluation", answer))
        result["alone_again"][name] = {"before": result["alone"].get(name), "now": seen}
        result["alone"][name] = seen
        for row in result["rows"]:
            row["alone"] = seen if row["candidate"] == name else row["alone"]
        options.keep(record.whole())


def stop(process):
    process.send_signal(signal.SIGINT)
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def judge_mixed(options, record, order):
    """Those of `order` that have no row yet, in one process; why that ended by itself, or nothing."""
    done = len(record.result["rows"])
    script, place = options.scratch / f"script-{done}.json", options.scratch / f"run-{done}"
    entries = [{"source": f.read_text() + f"// {k}\n", "idea": f.stem} for k, f in enumerate(order)][done:]
    script.write_text(json.dumps(entries))
    arguments = runs.script_arguments(options, options.task, script, place, len(entries) + 2)
    said = options.scratch / f"said-{done}.txt"
    with said.open("w") as text:
        process = subprocess.Popen([options.program.path, *map(str, arguments)], stdout=text, stderr=text,
                                   env=options.program.environment)
    seen = 0
    while True:
        running = process.poll() is None
        for node in judged(place)[1 + seen:]:
            seen += 1
            record.add(node)
        if seen == len(entries) or options.late():
            stop(process)
            return None
        if not running:
            return f"status {process.returncode}: {said.read_text()[-600:]}"
        time.sleep(LOOK)


def judged(place):
    """The nodes so far, of a run that is being written."""
    try:
        return runs.nodes(place)
    except sqlite3.OperationalError:  # it is being made, or being written
        return []


def run(options):
    folder = options.root / "bench" / "corpus" / "hostile"
    options.task = folder / "task.cu"
    files = sorted(f for f in folder.glob("*/*.cu") if options.wants(f.stem))
    record = Record(options, files)
    judge_alone(options, record)
    dice = random.Random(options.seed)
    order = [dice.choice(files) for _ in range(options.repeats)]
    while len(record.result["rows"]) < len(order) and not options.late():
        why = judge_mixed(options, record, order)
        if why:  # the one that was being judged counts as judged, or the next run would end there too
            guilty = order[len(record.result["rows"])].stem
            record.result["ended"].append({"candidate": guilty, "why": why})
            record.add({"idea": guilty, "evaluation": {"outcome": "ended the run"}})
    judge_again(options, record)
    return record.whole()


def table(result):
    yield f"{'candidate':<22} {'':<5} {'alone':<40} {'s':>5}  {'mixed':>5} {'other verdicts'}"
    for name, alone in sorted(result["alone"].items(), key=lambda item: (result["kinds"][item[0]], item[0])):
        own = [r for r in result["rows"] if r["candidate"] == name]
        others = sorted({r["verdict"] for r in own} - {alone})
        yield (f"{name:<22} {result['kinds'][name]:<5} {alone[:40]:<40} {result['alone_seconds'][name]:>5.1f}"
               f"  {len(own):>5} {'; '.join(others) or '-'}")
