#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts a recording of Nsight Compute to what tests need: trim.py IN OUT [--launches 0,3,6]

Keeps lines around the table, the columns that src/profile/ncu_metrics.cc names or that look odd,
and the chosen launches. Paths of programs lose their folders.
"""
import csv
import io
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve()
ODD = ("FBSP.TriageCompute.dramc__read_throughput", "device__attribute_display_name", "derived__",
       "launch__func_cache_config", "launch__kernel_name", "sass__inst_executed_register_spilling",
       "smsp__pcsamp_warps_issue_stalled_wait", "launch__waves", "l1tex__m_xbar2l1tex_read_bytes.sum")


def wanted():
    source = (HERE.parents[2] / "ncu_metrics.cc").read_text()
    keys = (HERE.parents[3] / "model/metric_keys.h").read_text()
    names = set(re.findall(r'"([a-z0-9_]+__[\w.]+)"', source + keys))
    return names | {n + ".per_cycle_elapsed" for n in names}


def keep(name, names):
    return name in names or name.startswith(ODD) or name.startswith("smsp__average_warps_issue_stalled")


def main():
    source, target = sys.argv[1:3]
    launches = sys.argv[4].split(",") if "--launches" in sys.argv else None
    text = re.sub(r"\(/\S*/", "(", pathlib.Path(source).read_text())
    at = text.find('"ID",')
    rows = list(csv.reader(io.StringIO(text[at:]))) if at >= 0 else []
    names = wanted()
    out = io.StringIO()
    out.write(text[:at] if at >= 0 else text)
    details = rows and "Metric Name" in rows[0]
    columns = [i for i, n in enumerate(rows[0]) if details or i < 11 or keep(n, names)] if rows else []
    for row in rows:
        if launches and row[0] not in ("ID", "", *launches):
            continue
        cells = ['"%s"' % row[i].replace('"', '""') for i in columns if i < len(row)]
        # Records of metrics end with a comma behind the value.
        if details and len(row) == 16:
            cells[15] = ""
        out.write(",".join(cells) + "\n")
    pathlib.Path(target).write_text(out.getvalue())


main()
