# SPDX-License-Identifier: Apache-2.0
"""The plan files of bench/wgmma beside cuBLAS through PyTorch, on the same shape in bf16."""
import measuring
from gpu_check import corpus, libraries, program

ABOUT = "a plan with TMA, clusters and wgmma beside cuBLAS: bench/wgmma"


def cublas(axes):
    """Microseconds of the library's product; None without PyTorch."""
    if measuring.cupy_with_device() is None:
        return None
    import torch
    a, b = (torch.randn(rows, axes["K"], device="cuda", dtype=torch.bfloat16) for rows in (axes["M"], axes["N"]))
    return libraries.microseconds(torch, torch.nn.functional.linear, {"input": a, "weight": b}, runs=50)


def run(options):
    rows, task = [], options.root / "bench" / "wgmma" / "matmul.cu"
    axes = measuring.read_file(task)[0]
    for file in sorted(task.parent.glob("*.cu")):
        if file == task or not options.wants(file.stem):
            continue
        answer = options.program.json("eval", task, file, "--device", options.device)
        ns = (answer.get("evaluation", {}).get("details") or {}).get("nanoseconds")
        library, flops = cublas(axes), 2.0 * axes["M"] * axes["N"] * axes["K"]
        rows.append({"file": file.name, "shape": [axes[x] for x in "MNK"], "us": ns and ns / 1e3, "cublas_us": library,
                     "tflops": ns and flops / ns / 1e3, "cublas_tflops": library and flops / library / 1e6,
                     "share": ns and library and library * 1e3 / ns, "outcome": program.outcome(answer)})
    best = max((r["share"] for r in rows if r["share"]), default=None)
    return {"rows": rows, "summary": {"best share of cuBLAS": corpus.figure(best)}}


def table(result):
    yield f"{'plan':<24} {'m x n x k':<18} {'us':>8} {'TFLOP/s':>8} {'cuBLAS us':>9} {'TFLOP/s':>8} {'share':>6}"
    for r in result["rows"]:
        numbers = [corpus.figure(r[k]) for k in ("us", "tflops", "cublas_us", "cublas_tflops", "share")]
        yield (f"{r['file']:<24} {' x '.join(map(str, r['shape'])):<18} {numbers[0]:>8} {numbers[1]:>8} {numbers[2]:>9}"
               f" {numbers[3]:>8} {numbers[4]:>6}  {'' if r['outcome'] == 'measured' else r['outcome']}")
