# SPDX-License-Identifier: Apache-2.0
"""The desk of a process that runs candidates of others in Python. Nobody believes it: it hands out raw
outputs, which the judge's own worker compares, and times, which the judge holds against its own clock.
"""
import os
import shutil
import sys

from kernelpro_torch import failures, server


class Desk(server.Desk):
    def __init__(self):
        super().__init__()
        self.candidates = {}
        self.kept = None  # the last trial that was timed

    def verbs(self):
        return {"open": self.open, "load": self.load, "adopt": self.adopt, "run": self.run,
                "time": self.time, "burst": self.burst, "kernels": self.kernels, "free": self.give_up}

    def open(self, request, descriptors):
        if shutil.which("ninja") is None:  # load_inline calls it; in a virtual environment it is here
            os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath),
                                                  os.path.dirname(sys.executable)])
        told = super().open(request, descriptors)
        if self.device.startswith("cuda"):
            import torch
            torch.cuda.set_device(torch.zeros(1, device=self.device).device)
        return {**told, "triton": triton_version()}

    def adopt(self, request, _):
        from kernelpro_torch.candidate import Candidate
        problem = self.problem(request)
        self.candidates[request["candidate"]] = Candidate(problem, request["file"], request["text"])
        return {}

    def trial(self, request, seed):
        """The kept one where it is of the same request."""
        from kernelpro_torch.trial import Trial
        if self.kept is None or not self.kept.is_of(request, seed):
            self.kept = None  # before there is another
            self.kept = Trial(self.candidate(request), request, seed, self.device)
        return self.kept

    def candidate(self, request):
        if request["candidate"] not in self.candidates:
            raise failures.invalid(f"no candidate {request['candidate']} is adopted")
        return self.candidates[request["candidate"]]

    def run(self, request, descriptors):
        self.kept = None
        trial, self.kept = self.trial(request, request["seed"]), None
        return {"outputs": trial.written(trial.once(), descriptors[0])}

    def time(self, request, descriptors):
        self.kept = None
        seeds = request["seeds"]
        trial = self.trial(request, seeds[-1])
        taken, outputs = trial.timed(request, self.device)
        return {"nanoseconds": taken, "outputs": trial.written(outputs, descriptors[0]),
                "last_seed": seeds[-1], "keeps": self.bytes()}

    def burst(self, request, _):
        self.trial(request, request["seed"]).burst(request["runs"])
        return {"keeps": self.bytes()}

    def kernels(self, request, _):
        from kernelpro_torch import census
        trial = self.trial(request, request["seed"])
        return {"kernels": census.kernels(trial, self.device), "keeps": self.bytes()}

    def bytes(self):
        import torch
        return torch.cuda.memory_reserved() if torch.cuda.is_initialized() else 0

    def give_up(self, *_):
        self.free()
        return {}

    def free(self):
        self.kept = None
        super().free()


def triton_version():
    from importlib import metadata
    for name in ("triton", "pytorch-triton"):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            pass
    return None
