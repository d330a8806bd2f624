# SPDX-License-Identifier: Apache-2.0
"""The wall clock of one quick verdict, by phase: the first of a process, and later ones with a warm worker."""
import json
import statistics

from gpu_check import program, runs

ABOUT = "wall clock of one quick verdict by phase, cold and warm, for 16 million and 1.6e9 elements"
SIZES = {"16M": 16777216, "1.6e9": 1610612736}
WARM = 5  # candidates after the baseline, each compiled anew

TASK = """// SPDX-License-Identifier: Apache-2.0
/* kernelpro
axis   n = %d
check  n = 4100
input  x : f32[n] ~ normal
output y : f32[n]
precision f32
work   flops = 4 * n
launch swish<<<ceil_div(n, %d), 256>>>(x, y, n)
*/
extern "C" __global__ void swish(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = (blockIdx.x * 256 + threadIdx.x) * %d;
  for (int k = i; k < i + %d && k < n; ++k) y[k] = x[k] / (1.0f + __expf(-x[k]));
}
"""


def source(size, each):
    return TASK % (size, 256 * each, each, each)


def run(options):
    rows = []
    for name, size in SIZES.items():
        if not options.wants(name):
            continue
        task = options.scratch / f"swish-{name}.cu"
        task.write_text(source(size, 1))
        alone = options.program.json("eval", task, "--quick", "--device", options.device, limit=200)
        rows.append(row_of(name, "alone", alone.get("evaluation", {}), alone["seconds"], alone.get("error")))
        script, folder = options.scratch / f"{name}.json", options.scratch / f"run-{name}"
        script.write_text(json.dumps([{"source": source(size, 1) + f"// {k}\n", "idea": str(k)} for k in range(WARM)]))
        answer = runs.scripted(options, task, script, folder, WARM + 1, limit=200)
        nodes = runs.nodes(folder)
        for node in nodes:
            rows.append(row_of(name, "first" if node is nodes[0] else "warm", node["evaluation"], None, answer.get("error")))
    return {"rows": rows, "summary": summary(rows)}


def row_of(size, kind, evaluation, process, error):
    return {"size": size, "kind": kind, "wall": evaluation.get("wall_seconds"), "phases": evaluation.get("phases_seconds", {}),
            "process": process, "outcome": program.outcome({"evaluation": evaluation}) if evaluation else error}


def summary(rows):
    found = {}
    for size in SIZES:
        walls = [r["wall"] for r in rows if r["size"] == size and r["kind"] == "warm" and r["wall"]]
        if walls:
            found[f"{size} warm, median s"] = f"{statistics.median(walls):.2f}"
    return found


def table(result):
    yield f"{'size':<6} {'kind':<6} {'wall s':>7} {'process s':>9}  phases"
    for r in result["rows"]:
        phases = ", ".join(f"{k} {v:.2f}" for k, v in r["phases"].items())
        numbers = [f"{r[k]:.2f}" if r[k] is not None else "-" for k in ("wall", "process")]
        yield f"{r['size']:<6} {r['kind']:<6} {numbers[0]:>7} {numbers[1]:>9}  {phases}  {r['outcome']}"
