# SPDX-License-Identifier: Apache-2.0
"""What Nsight Compute's own rules name first for the planted faults: its largest global estimate."""
import csv
import json
import pathlib
import subprocess
import sys

if __name__ == "__main__":  # the child, started by its path
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import measuring
from gpu_check import corpus, versions

ABOUT = "what Nsight Compute's rules name first for the planted faults"

# Which of our tools a rule stands for, so that both are judged by the same key.
MEANS = {"UncoalescedGlobalAccess": "memory_coalescing", "MemoryCacheAccessPattern": "memory_coalescing",
         "UncoalescedSharedAccess": "bank_conflict", "SharedMemoryConflicts": "bank_conflict",
         "IssueSlotUtilization": "warp_stall", "CPIStall": "warp_stall", "AchievedOccupancy": "occupancy_limiter",
         "TheoreticalOccupancy": "occupancy_limiter", "LaunchConfiguration": "launch_shape",
         "WorkloadImbalance": "launch_shape", "ThreadDivergence": "divergence", "FPInstructions": "instruction_mix",
         "SOLFPRoofline": "instruction_mix", "SlowPipeLimiter": "instruction_mix",
         "HighPipeUtilization": "instruction_mix", "LocalMemoryUsage": "register_spill"}


IGNORED = {"MemoryL2Compression"}  # says of any kernel without compressible memory that it does not compress


def meaning(row):
    """The tool that a rule's message points at."""
    if row["Rule Name"] == "CPIStall" and "barrier" in row["Rule Description"].lower():
        return "barrier_stall"
    return MEANS.get(row["Rule Name"], row["Rule Name"])


def messages(text):
    """By launch: (rule, tool, type of estimate, percent), of rules that suggest something."""
    rows = csv.DictReader(line for line in text.splitlines() if line.startswith('"'))
    launches = {}
    for row in rows:
        launch = launches.setdefault(int(row["ID"]), {"kernel": row["Kernel Name"].split("(")[0], "ns": 0.0, "rules": []})
        if row["Metric Name"] == "Duration":
            launch["ns"] = float(row["Metric Value"].replace(",", ""))
        if row["Rule Type"] == "OPT" and row["Estimated Speedup"] and row["Rule Name"] not in IGNORED:
            launch["rules"].append({"rule": row["Rule Name"], "tool": meaning(row), "type": row["Estimated Speedup Type"],
                                    "pct": float(row["Estimated Speedup"].replace(",", ""))})
    return launches


def best(rules, kind):
    return max((r for r in rules if r["type"] == kind), key=lambda r: r["pct"], default=None)


# What the rules read; the set `full` adds rooflines of each cache level, which no rule does.
SECTIONS = ["SchedulerStats", "WarpStateStats", "InstructionStats", "SourceCounters", "MemoryWorkloadAnalysis_Tables"]


def profile(compiled, scratch, raw):
    """What ncu says about a child that launches each kernel of each plan once, and the order of launches.
    All metrics go to the file `raw`, for `kernelpro diagnose`."""
    (scratch / "list.json").write_text(json.dumps([[str(f), str(c)] for f, c in compiled.items()]))
    report, order = scratch / "rules.ncu-rep", scratch / "order.json"
    command = ["ncu", "--set", "detailed", *(a for s in SECTIONS for a in ("--section", s)), "--clock-control", "none",
               "--profile-from-start", "off", "-f", "-o", str(report), sys.executable, str(pathlib.Path(__file__).resolve()),
               str(scratch / "list.json"), str(order)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=460)
    if done.returncode != 0 or not report.exists():
        print("ncu failed:", done.stdout[-1000:], done.stderr[-1000:])
        return "", []
    raw.write_text(page(report, "raw"))
    return page(report, "details"), json.loads(order.read_text())


def page(report, name):
    command = ["ncu", "--import", str(report), "--csv", "--page", name, "--print-units", "base"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def run(options):
    folder, listed = corpus.entries(options)
    faults = {folder / e["name"] / "fault.cu": e for e in listed if e["tool"]}
    kept, compiled = versions.compile_all(list(faults))
    options.out.mkdir(parents=True, exist_ok=True)
    text, order = profile(compiled, options.scratch, options.out / "rules-raw.csv")
    kept.cleanup()
    launches = messages(text)
    rows = []
    for file, entry in faults.items():
        own = [launches[i] for i, name in enumerate(order) if name == str(file) and i in launches]
        longest = max(own, key=lambda launch: launch["ns"], default={"rules": [], "kernel": None})
        chosen, local = best(longest["rules"], "global"), best(longest["rules"], "local")
        rows.append({"name": entry["name"], "tool": entry["tool"], "kernel": longest["kernel"], "global": chosen,
                     "local": local, "rules": longest["rules"], "hit": bool(chosen) and chosen["tool"] == entry["tool"],
                     "hit_local": bool(local) and local["tool"] == entry["tool"],
                     "anywhere": any(r["tool"] == entry["tool"] for r in longest["rules"])})
    order = [pathlib.Path(name).parent.name for name in order]
    return {"rows": rows, "order": order, "summary": {"global estimate points at the fault": corpus.share(rows, "hit"),
                                      "local estimate points at the fault": corpus.share(rows, "hit_local"),
                                      "fault among the rules at all": corpus.share(rows, "anywhere")}}


def table(result):
    yield f"{'kernel':<20} {'planted':<19} {'best global estimate':<44} best local estimate"
    for r in result["rows"]:
        told = [f"{c['rule']} {c['pct']:.0f} %{'' if c['tool'] == r['tool'] else ' !'}" if c else "-"
                for c in (r["global"], r["local"])]
        yield f"{r['name']:<20} {r['tool']:<19} {told[0]:<44} {told[1]}"


def child(listing, order):
    """Runs below ncu: launches each kernel of each plan once; the others of a plan are not profiled."""
    import cupy
    names, runtime = [], cupy.cuda.runtime
    for file, cubin in json.loads(pathlib.Path(listing).read_text()):
        axes, tensors, scalars = measuring.read_file(pathlib.Path(file))
        version = versions.Version(cupy, pathlib.Path(file), cubin, axes, measuring.make_arrays(cupy, axes, tensors), scalars)
        seen = set()
        for step in version.steps:
            kernel = getattr(step, "kernel", None)
            runtime.deviceSynchronize()
            if kernel and kernel not in seen:
                runtime.profilerStart()
                step()
                runtime.deviceSynchronize()
                runtime.profilerStop()
                seen.add(kernel)
                names.append(file)
        del version
        cupy.get_default_memory_pool().free_all_blocks()
    pathlib.Path(order).write_text(json.dumps(names))


if __name__ == "__main__":
    child(*sys.argv[1:])
