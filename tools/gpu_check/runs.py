# SPDX-License-Identifier: Apache-2.0
"""Runs whose candidates come from a list, and what a finished run holds."""
import json
import sqlite3


def script_arguments(options, task, script, folder, budget):
    return ["optimize", task, "--device", options.device, "--proposer", f"scripted:{script}", "--search", "best-of-n",
            "--budget", budget, "--patience", 0, "--out", folder]


def scripted(options, task, script, folder, budget, limit):
    """Judges the script's candidates one after the other in one process."""
    return options.program.json(*script_arguments(options, task, script, folder, budget), limit=limit)


def nodes(folder):
    """The judged candidates in order: {"idea", "evaluation"}; empty without a run."""
    if not (folder / "run.db").exists():
        return []
    with sqlite3.connect(folder / "run.db") as base:
        rows = base.execute("SELECT proposal.idea, verdict.evaluation FROM node JOIN proposal ON proposal.id = node.proposal"
                            " JOIN verdict ON verdict.id = node.id ORDER BY node.id").fetchall()
    return [{"idea": idea, "evaluation": json.loads(text)} for idea, text in rows]
