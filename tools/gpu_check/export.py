# SPDX-License-Identifier: Apache-2.0
"""Operators exported from runs in both forms; their regression tests, built and run here by nvcc and PyTorch."""
import json
import os
import re
import subprocess
import sys
import time

ABOUT = "three runs exported as C++ and as PyTorch modules, and their regression tests run"
BUDGET = 300    # seconds for the whole part
LIMIT = 100     # of one command
# task, evaluations; a file is the one candidate of a scripted run
RUNS = [("scan", "tasks/scan", 4, None), ("swish_f16", None, 4, None), ("wgmma", "bench/wgmma/matmul.cu", 2, "bench/wgmma/wgmma.cu")]

HALF_TASK = """// SPDX-License-Identifier: Apache-2.0
/* kernelpro
axis n = 4194304
check n = 10007
check n = 65536
input x : f16[n]
output y : f16[n]
launch swish<<<ceil_div(n, 256), 256>>>(x, y, n)
oracle launch exact<<<ceil_div(n, 256), 256>>>(x, y, n)
*/
#include <cuda_fp16.h>
extern "C" __global__ void swish(const __half* x, __half* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    float v = __half2float(x[i]);
    y[i] = __float2half(v / (1.0f + __expf(-v)));
  }
}
extern "C" __global__ void exact(const double* x, double* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = x[i] / (1.0 + exp(-x[i]));
}
"""
HALF_CANDIDATE = """/* kernelpro
tune BLOCK in 128, 256
launch swish<<<ceil_div(n, BLOCK * 2), BLOCK>>>(x, y, n)
*/
#include <cuda_fp16.h>
extern "C" __global__ void swish(const __half2* x, __half2* y, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (2 * i + 1 < n) {
    float2 v = __half22float2(x[i]);
    y[i] = __floats2half2_rn(v.x / (1.0f + __expf(-v.x)), v.y / (1.0f + __expf(-v.y)));
  } else if (2 * i < n) {
    float v = __half2float(((const __half*)x)[2 * i]);
    ((__half*)y)[2 * i] = __float2half(v / (1.0f + __expf(-v)));
  }
}
"""


def script(options, source, name):
    file = options.scratch / f"{name}.json"
    file.write_text(json.dumps([{"source": source, "idea": "the candidate of this check"}]))
    return f"scripted:{file}"


def optimized(options, name, task, budget, candidate):
    """A run of one candidate from a file, or of the rewriter; the program's answer."""
    if task is None:
        path = options.scratch / f"{name}.cu"
        path.write_text(HALF_TASK)
        proposer = script(options, HALF_CANDIDATE, name)
    else:
        path = options.root / task
        proposer = script(options, (options.root / candidate).read_text(), name) if candidate else "rewriter"
    folder = options.scratch / f"run-{name}"
    answer = options.program.json("optimize", path, "--device", options.device, "--proposer", proposer, "--search", "best-of-n",
                                  "--budget", budget, "--patience", 0, "--out", folder, limit=LIMIT)
    return folder, answer


def command(arguments, folder):
    """(exit status, what it printed last, seconds)."""
    begin = time.monotonic()
    try:
        done = subprocess.run(list(map(str, arguments)), cwd=folder, capture_output=True, text=True, timeout=LIMIT,
                              env={**os.environ, "TORCH_EXTENSIONS_DIR": str(folder / "build")})
        status, text = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        status, text = 124, str(late)
    except OSError as missing:
        status, text = 127, str(missing)
    return status, text[-1500:], time.monotonic() - begin


def build_and_test(form, folder, name, architecture):
    if form == "torch":
        return command([sys.executable, f"test_{name}.py"], folder)
    sources = [p.name for p in sorted(folder.iterdir()) if p.suffix in (".cu", ".cc")]
    built = command(["nvcc", "-std=c++17", "-O2", f"-gencode=arch=compute_{architecture[3:]},code={architecture}", *sources, "-o", "regression"], folder)
    if built[0] != 0:
        return built
    tested = command([folder / "regression"], folder)
    return tested[0], tested[1], built[2] + tested[2]


def exported(options, run, form):
    folder = options.scratch / f"{run.name}-{form}"
    answer = options.program.json("export", run, "--as", form, "--device", options.device, "--out", folder, "--skip-test",
                                  limit=LIMIT)
    if "folder" not in answer:
        return {"form": form, "outcome": "no export: " + str(answer.get("error", ""))[-300:]}
    status, text, seconds = build_and_test(form, folder, answer["name"], answer["architecture"])
    outcome = {0: "passed", 77: "no device"}.get(status, "FAILED")
    differences = re.findall(r"relative difference (\S+)", text)
    return {"form": form, "outcome": outcome, "architecture": answer["architecture"], "values": answer["values"],
            "seconds": round(seconds, 1), "shapes": text.count("kernels\n"), "largest_difference": max(map(float, differences), default=None),
            "log": text if outcome == "FAILED" else ""}


def confined(options, run):
    """What `export` itself says when it compiles and runs the test."""
    answer = options.program.json("export", run, "--as", "cpp", "--device", options.device, "--out",
                                  options.scratch / f"{run.name}-confined", limit=LIMIT)
    return {"form": "cpp, by export", "outcome": answer.get("test", str(answer.get("error", ""))[-300:]),
            "compiled": answer.get("compiled"), "values": answer.get("values"), "seconds": round(answer.get("seconds", 0), 1)}


def run(options):
    begin, rows, late = time.monotonic(), [], 0
    for name, task, budget, candidate in RUNS:
        if not options.wants(name):
            continue
        folder, answer = optimized(options, name, task, budget, candidate)
        forms = [lambda: exported(options, folder, "cpp"), lambda: exported(options, folder, "torch")]
        if name == RUNS[0][0]:
            forms.append(lambda: confined(options, folder))
        for make in forms:
            if time.monotonic() - begin > BUDGET:
                late += 1
                continue
            row = {"outcome": str(answer.get("error", "nothing better was found"))[-300:], "form": "-"} \
                if not answer.get("best_node") else make()
            rows.append({"run": name, "speedup": answer.get("speedup"), "evidence": answer.get("evidence"), **row})
            print(name, row["form"], row["outcome"], flush=True)
            options.keep(summed(rows, late, begin))
    return summed(rows, late, begin)


def summed(rows, late, begin):
    passed = sum(r["outcome"].startswith("passed") for r in rows)
    return {"rows": rows, "summary": {"passed": f"{passed} of {len(rows)}", "left out for time": late,
                                      "seconds": round(time.monotonic() - begin, 1)}}


def table(result):
    yield f"{'run':<10} {'form':<15} {'speed-up':>8} {'arch':<7} {'shapes':>6} {'difference':>10} {'seconds':>7}  outcome"
    for r in result["rows"]:
        speedup = f"{r['speedup']:.2f}x" if r["speedup"] else "-"
        yield (f"{r['run']:<10} {r['form']:<15} {speedup:>8} {r.get('architecture') or '-':<7} {r.get('shapes') or '-':>6}"
               f" {r.get('largest_difference') if r.get('largest_difference') is not None else '-':>10}"
               f" {r.get('seconds', '-'):>7}  {r['outcome']}")
