# SPDX-License-Identifier: Apache-2.0
"""The kernels of bench/corpus: what is named first, whether the twin is silent, what was promised and what it brings."""
import json
import math

import measuring
from gpu_check import program, versions

ABOUT = "planted faults, their twins and kernels at their roof"
PAIRS = 30


def entries(options, part="."):
    """A folder of planted faults and what it lists; `part`: folder inside bench/corpus."""
    folder = options.root / "bench" / "corpus" / part
    listed = json.loads((folder / "corpus.json").read_text())["kernels"]
    return folder, [e for e in listed if options.wants(e["name"])]


def events(options, folder, faults):
    """The gains that events around whole plans show, by name; nothing without CuPy."""
    cupy = measuring.cupy_with_device()
    if cupy is None:
        return {}
    pairs = {e["name"]: [folder / e["name"] / f for f in ("fault.cu", "fixed.cu")] for e in faults}
    kept, cubins = versions.compile_all([f for pair in pairs.values() for f in pair])
    gains = {name: versions.compare(cupy, pair[0], pair, cubins, PAIRS) for name, pair in pairs.items()}
    kept.cleanup()
    return gains


def profile(answer):
    """The evidence behind a diagnosis; tests/replay judges it again. Nothing where nothing was measured."""
    return (answer.get("evaluation", {}).get("details") or {}).get("profile")


def fault_row(options, folder, entry, by_events, evidence):
    fault, fixed = folder / entry["name"] / "fault.cu", folder / entry["name"] / "fixed.cu"
    broken = options.program.json("eval", fault, "--quick", "--device", options.device)
    mended = {} if options.faults_only else options.program.json("eval", fixed, "--quick", "--device", options.device)
    evidence[f"{entry['name']}/fault"], evidence[f"{entry['name']}/fixed"] = profile(broken), profile(mended)
    first = program.named(broken)
    events_gain = by_events.get(entry["name"])
    value = events_gain and events_gain["gain"]
    promised = next((f["gain"] for f in program.findings(broken) or [] if f["tool"] == entry["tool"]
                     and None not in f["gain"]), None)
    return {"name": entry["name"], "tool": entry["tool"], "first": program.shortened(first),
            "hit": bool(first) and first["tool"] == entry["tool"],
            "others": [program.shortened(f) for f in (program.findings(broken) or [])[:4]],
            "promised": promised, "gain": value, "gain_95": events_gain and events_gain["gain_95"], "events": events_gain,
            "within": bool(promised) and value is not None and promised[0] <= value <= promised[1],
            "narrow": bool(promised) and promised[1] <= 3.000001 * promised[0],  # rounded
            "twin_tells": program.told(mended), "twin_silent": program.findings(mended) is not None and entry["tool"] not in program.told(mended),
            "outcome": program.outcome(mended) if mended else "not judged", "error": broken.get("error")}


def roof_row(options, folder, entry, evidence):
    answer = options.program.json("eval", folder / entry["name"] / "roof.cu", "--quick", "--device", options.device)
    evidence[f"{entry['name']}/roof"] = profile(answer)
    return {"name": entry["name"], "tool": None, "tells": program.told(answer), "error": answer.get("error"),
            "quiet": program.findings(answer) is not None and not program.told(answer)}


def run(options, part="."):
    folder, listed = entries(options, part)
    faults = [e for e in listed if e["tool"]]
    by_events = events(options, folder, faults)
    rows, evidence = [], {}
    for entry in listed:
        rows.append(fault_row(options, folder, entry, by_events, evidence) if entry["tool"]
                    else roof_row(options, folder, entry, evidence))
        print(".", end="", flush=True)
    print()
    kept = options.out / f"{options.name}-evidence.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    lines = (f'{json.dumps(k)}: {json.dumps(v, separators=(",", ":"))}' for k, v in evidence.items() if v)
    kept.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    return {"rows": rows, "summary": summary(rows)}


def share(rows, key):
    return f"{sum(bool(r[key]) for r in rows)} of {len(rows)}"


def summary(rows):
    judged = [r for r in rows if r["tool"] and r["outcome"] != "not judged"]
    faults, roofs = [r for r in rows if r["tool"]], [r for r in rows if not r["tool"]]
    promised = [r for r in faults if r["promised"]]
    return {"named first": share(faults, "hit"), "twin silent": share(judged, "twin_silent"),
            "gain within the range": share(promised, "within"), "range at most 3 wide": share(promised, "narrow"),
            "quiet at the roof": share(roofs, "quiet")}


def figure(value):
    return "-" if value is None or not math.isfinite(value) else f"{value:.2f}"


def table(result):
    yield f"{'kernel':<20} {'planted':<19} {'named first':<19} {'promised':>13} {'gain':>6} {'events':>6}  twin tells"
    for r in result["rows"]:
        if not r["tool"]:
            yield f"{r['name']:<20} {'(at its roof)':<19} {', '.join(r['tells']) or r['error'] or '-'}"
            continue
        promised = f"{r['promised'][0]:.2f} to {r['promised'][1]:.2f}" if r["promised"] else "-"
        first = (r["first"] or {}).get("tool", "-") + ("" if r["hit"] else " !")
        yield (f"{r['name']:<20} {r['tool']:<19} {first:<19} {promised:>13} {figure(r['gain']):>6}"
               f" {figure(r['events'] and r['events']['gain']):>6}  {', '.join(r['twin_tells']) or '-'}"
               f"{'' if r['outcome'] in ('measured', 'not judged') else '  ' + r['outcome']}{'  ' + r['error'] if r['error'] else ''}")
