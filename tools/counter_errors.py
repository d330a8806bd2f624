# SPDX-License-Identifier: Apache-2.0
"""How far modelled counters and times are from measured ones: `tools/calibrate compare`.

The halves are fixed by the names alone: a kernel is held out when the first byte of the SHA-256 of its
name is odd. The rule was chosen before anything was fitted.
"""
import hashlib
import math
import statistics

# Counters that the comparison judges, by family. CACHES are those of MEMORY that depend on what is cached.
CACHES = ["lts__t_sectors_srcunit_tex.sum", "dram__bytes_read.sum", "l1tex__t_sector_hit_rate.pct"]
MEMORY = ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
          "lts__t_sectors_srcunit_tex.sum", "dram__bytes_read.sum", "l1tex__t_sector_hit_rate.pct",
          "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio",
          "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.ratio",
          "smsp__sass_inst_executed_op_global_ld.sum", "smsp__sass_inst_executed_op_global_st.sum"]
SHARED = ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
          "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
          "smsp__sass_inst_executed_op_shared_ld.sum", "smsp__sass_inst_executed_op_shared_st.sum"]
ATOMICS = ["lts__t_sectors_op_atom.sum", "lts__t_sectors_op_red.sum",
           "smsp__sass_inst_executed_op_global_atom.sum", "smsp__inst_executed_op_global_red.sum",
           "smsp__inst_executed_op_shared_atom.sum"]
LOCAL = ["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"]
WRITES = ["dram__bytes_write.sum", "lts__t_sector_hit_rate.pct"]
JUDGED = MEMORY + SHARED + ATOMICS + LOCAL + WRITES
INSTRUCTIONS = "smsp__inst_executed.sum"
APART = {"spill": "spills", "local_array": "spills"}  # and every kernel with atomics


def held_out(name):
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 1


def group_of(name, measured):
    if name in APART:
        return APART[name]
    atomics = sum(measured.get(key, 0) for key in ATOMICS)
    return "atomics" if atomics > 0 else "plain"


def relative(modelled, measured, key):
    """Error of one counter; percentages by points, None where there is nothing to compare."""
    if measured is None or modelled is None:
        return None
    if key.endswith(".pct"):
        return abs(modelled - measured) / 100
    if measured == 0 and modelled == 0:
        return None
    return abs(modelled - measured) / max(abs(measured), 1e-9)


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    for rank, i in enumerate(order):
        result[i] = float(rank)
    return result


def spearman(a, b):
    n = len(a)
    if n < 3:
        return math.nan
    return 1 - 6 * sum((x - y) ** 2 for x, y in zip(ranks(a), ranks(b))) / (n * (n * n - 1))


def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else math.nan


def row_of(name, measured, modelled):
    m, v = measured.get("metrics", {}), modelled["metrics"]
    errors = {key: relative(v.get(key), m.get(key), key) for key in JUDGED}
    instructions = v[INSTRUCTIONS] / m[INSTRUCTIONS] if m.get(INSTRUCTIONS) else math.nan
    return {"name": name, "group": group_of(name, m), "held_out": held_out(name), "errors": errors,
            "instructions": instructions, "measured_us": measured["ns"] / 1e3, "modelled_us": modelled["ns"] / 1e3,
            "time": modelled["ns"] / measured["ns"]}


def spread(rows, family):
    """Median and 90th percentile of the errors of a family of counters, as text."""
    errors = sorted(e for r in rows for k, e in r["errors"].items() if k in family and e is not None)
    if not errors:
        return "-"
    return f"{100 * statistics.median(errors):.1f} % ({100 * errors[int(0.9 * (len(errors) - 1))]:.0f} %)"


def summary(title, rows):
    """Counters: median error, in brackets the 90th percentile."""
    if not rows:
        return
    good = [r["instructions"] for r in rows if not math.isnan(r["instructions"])]
    within = sum(0.75 <= i <= 1.25 for i in good)
    inside = sum(1 / 1.5 <= r["time"] <= 1.5 for r in rows)
    rank = spearman([r["measured_us"] for r in rows], [r["modelled_us"] for r in rows])
    factor = math.exp(median([abs(math.log(r["time"])) for r in rows]))
    print(f"{title}: {len(rows)} kernels\n"
          f"    memory counters {spread(rows, MEMORY)}, caches alone {spread(rows, CACHES)}, shared {spread(rows, SHARED)}, atomics {spread(rows, ATOMICS)},"
          f" local {spread(rows, LOCAL)}\n"
          f"    instructions within 25 %: {within}/{len(good)}, median error {100 * median([abs(i - 1) for i in good]):.1f} %\n"
          f"    time within 1.5x: {inside}/{len(rows)} ({100 * inside / len(rows):.0f} %), median factor {factor:.2f},"
          f" rank correlation {rank:.3f}")


def show_details(rows):
    for r in rows:
        wrong = {k: f"{100 * e:.0f}%" for k, e in r["errors"].items() if e is not None and e > 0.05}
        if wrong:
            print(f"  {r['name']}: " + ", ".join(f"{k} {e}" for k, e in wrong.items()))


def compare(measured, modelled, details, markdown):
    """Prints a row for each kernel, then the summary; both are kernels by name."""
    rows = [row_of(name, measured[name], modelled[name]) for name in sorted(measured) if name in modelled]
    line = "| {} | {} | {} | {} | {} | {} | {} | {} |" if markdown else "{:<20} {:<8} {:<5} {:>10} {:>10} {:>6} {:>6} {:>8}"
    print(line.format("kernel", "group", "half", "measured", "modelled", "ratio", "inst", "counters"))
    if markdown:
        print("|---|---|---|---|---|---|---|---|")
    for r in rows:
        worst = median([e for k, e in r["errors"].items() if k in MEMORY + SHARED])
        print(line.format(r["name"], r["group"], "held" if r["held_out"] else "fit", f"{r['measured_us']:.1f}",
                          f"{r['modelled_us']:.1f}", f"{r['time']:.2f}", f"{r['instructions']:.2f}", f"{100 * worst:.1f} %"))
    print()
    if details:
        show_details(rows)
    plain = [r for r in rows if r["group"] == "plain"]
    for half, flag in (("calibration half", False), ("held-out half", True)):
        summary(f"{half}, all", [r for r in rows if r["held_out"] == flag])
        summary(f"{half}, no spills or atomics", [r for r in plain if r["held_out"] == flag])
    for group in ("atomics", "spills"):
        summary(f"{group}, both halves", [r for r in rows if r["group"] == group])
