# SPDX-License-Identifier: Apache-2.0
"""The program under test, driven as its users drive it; and what its JSON says."""
import json
import os
import subprocess
import time

TOLD = ("critical", "warning")  # severities that ask somebody to act


class Program:
    def __init__(self, path, cache):
        self.path, self.environment = str(path), {**os.environ, "KERNELPRO_CACHE": str(cache)}

    def json(self, *arguments, limit=300):
        """The program's JSON, with `seconds` of wall clock; {"error": ...} when there is none."""
        begin = time.monotonic()
        try:
            done = subprocess.run([self.path, *map(str, arguments), "--json"], capture_output=True, text=True,
                                  timeout=limit, env=self.environment)
        except subprocess.TimeoutExpired:
            return {"error": f"no answer after {limit} s", "seconds": time.monotonic() - begin}
        seconds = time.monotonic() - begin
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            return {"error": (done.stderr or done.stdout)[-600:], "code": done.returncode, "seconds": seconds}
        return {**(answer if isinstance(answer, dict) else {"rows": answer}), "seconds": seconds, "code": done.returncode}


def findings(answer):
    """All findings in the order in which they are told, each with `gain` as (low, high); None without a diagnosis."""
    diagnosis = answer.get("diagnosis", answer)
    if not isinstance(diagnosis, dict) or ("findings" not in diagnosis and "kernels" not in diagnosis):
        return None
    found = [f for f in diagnosis.get("findings", [])]
    found = found or [f for kernel in diagnosis.get("kernels", []) for f in kernel.get("findings", [])]
    return [{**f, "gain": list(gain_of(f["gain"]))} for f in found]


def gain_of(gain):
    """(low, high); an end that is not known is None."""
    return (gain["low"], gain["high"]) if isinstance(gain, dict) else gain


def named(answer):
    """The first finding that is about a fault, or nothing."""
    about = [f for f in findings(answer) or [] if f["tool"] != "roof"]
    return about[0] if about else None


def told(answer):
    """The tools that warn."""
    return sorted({f["tool"] for f in findings(answer) or [] if f["severity"] in TOLD})


def speedup(answer):
    """(value, low, high) over the baseline as the program measured it; Nones when it did not."""
    measured = (answer.get("evaluation", {}).get("details") or {}).get("speedup")
    if isinstance(measured, dict):
        return measured["value"], measured["low"], measured["high"]
    return answer.get("speedup"), None, None


def outcome(answer):
    evaluation = answer.get("evaluation", answer)
    return evaluation.get("outcome") or ("no answer: " + str(answer.get("error", "")).strip()[-200:])


def shortened(finding):
    return finding and {k: finding.get(k) for k in ("tool", "severity", "gain", "evidence", "grade", "kernel") if k in finding}
