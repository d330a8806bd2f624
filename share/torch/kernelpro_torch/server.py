# SPDX-License-Identifier: Apache-2.0
"""Request in, answer out."""
import gc
import os

from kernelpro_torch import failures, frames

SOCKET = 3


def serve(nonce, desk):
    line = frames.Line(SOCKET, nonce)
    while True:
        request, descriptors = line.receive()
        if request is None:
            return 0
        answer = answer_to(desk, request, descriptors)
        for number in descriptors:
            os.close(number)
        line.send(answer)
        if answer.get("ends"):
            return 1
        if answer.get("kind") == "memory" or (desk.device != "cpu" and "keeps" not in answer):
            desk.free()


def answer_to(desk, request, descriptors):
    try:
        return {"ok": True, **desk.verb(request["do"])(request, descriptors)}
    except failures.Failure as failure:
        return failure.answer()
    except Exception as error:
        return failures.unforeseen(error).answer()


class Desk:
    """The verbs, and the problems that were loaded. PyTorch is imported by the first request."""

    def __init__(self):
        self.problems = {}
        self.device = "cpu"

    def verbs(self):
        return {"open": self.open, "load": self.load, "probe": self.probe, "draw": self.draw,
                "compute": self.compute, "compare": self.compare, "time": self.time,
                "answer": self.answer, "free": lambda *_: {}}

    def verb(self, name):
        verbs = self.verbs()
        if name not in verbs:
            raise failures.invalid(f"no verb {name}", f"there are: {', '.join(verbs)}")
        return verbs[name]

    def free(self):
        """What a problem has left in PyTorch's own store. On a GPU others want it."""
        import torch
        gc.collect()
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()

    def problem(self, request):
        if request["problem"] not in self.problems:
            raise failures.invalid(f"no problem {request['problem']} is loaded")
        return self.problems[request["problem"]]

    def open(self, request, _):
        from kernelpro_torch import opening
        self.device = request["device"]
        told = opening.describe(self.device)
        gc.freeze()  # PyTorch itself stays: free() would look through all of it after each request
        return told

    def load(self, request, _):
        from kernelpro_torch.problem import Problem
        problem = Problem(request["file"], request["text"])
        self.problems[request["problem"]] = problem
        return {"constants": problem.constants}

    def probe(self, request, _):
        from kernelpro_torch import probe
        return probe.describe(self.problem(request), request, self.device)

    def compute(self, request, descriptors):
        from kernelpro_torch import compute
        return compute.outputs(self.problem(request), request, descriptors, self.device)

    def compare(self, request, descriptors):
        from kernelpro_torch import compare
        return compare.compared(self.problem(request), request, descriptors, self.device)

    def answer(self, request, descriptors):
        from kernelpro_torch import answer
        return answer.write(self.problem(request), request, descriptors, self.device)

    def draw(self, request, descriptors):
        from kernelpro_torch import compute
        return compute.own_values(self.problem(request), request, descriptors, self.device)

    def time(self, request, _):
        from kernelpro_torch import timing
        return timing.times(self.problem(request), request, self.device)
