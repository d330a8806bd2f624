# SPDX-License-Identifier: Apache-2.0
"""A candidate with its inputs, to be run, timed, and looked at."""
import torch

from kernelpro_torch import failures, names, raw, seeds, timing
from kernelpro_torch.turning import Turned, Turning


class Trial:
    def __init__(self, candidate, request, seed, device):
        self.candidate, self.key, self.seed = candidate, key(request, seed), seed
        with torch.no_grad():
            self.instance = candidate.instance(request["constants"], seed, request["redrawn"], device)
        self.inputs = self.instance.inputs

    def is_of(self, request, seed):
        return self.key == key(request, seed)

    def call(self):
        """Plain tensors: what a class of its own has put off is done by then, or never."""
        made = self.instance.model(*self.inputs)
        with torch._C.DisableTorchFunction():
            return [raw.plain(tensor) for tensor in names.flat(made)]

    def once(self):
        seeds.plant(self.seed, "run")  # as the reference does, for problems that draw while they run
        with torch.no_grad(), self.candidate.own_code():
            return self.call()

    def written(self, outputs, descriptor):
        """Entries; a fault of a kernel shows here at the latest."""
        with self.candidate.own_code():
            if not outputs:
                raise failures.unsupported("its output is no tensor")
            called = ["out"] if len(outputs) == 1 else [f"out{i}" for i in range(len(outputs))]
            return raw.write(descriptor, list(zip(called, outputs)))

    def timed(self, request, device):
        """(nanoseconds of each run, outputs of the last)"""
        if not device.startswith("cuda"):
            raise failures.unsupported("timing needs a GPU", "ask for device cuda")
        other, _ = self.candidate.drawn(request["constants"], request["seeds"][0], request["redrawn"],
                                        device)
        return self.sampled(Turning(other.inputs, self.inputs), request, timing.Gpu())

    def sampled(self, turning, request, gpu):
        """Each run but the last has values of its own, made from those of the other seed."""
        self.inputs, last = turning.values, []
        with torch.no_grad(), self.candidate.own_code():
            taken = timing.sample(self.call, Turned(gpu, turning), request["warmups"],
                                  max(1, request["runs"] - 1), request["budget"])
            empty = timing.nothing(gpu)
            turning.end()
            seeds.plant(self.seed, "run")
            last_taken = timing.interval(lambda: last.extend(self.call()), gpu)
        self.instance.inputs = self.inputs  # those of the last seed are in them now
        return [*taken, max(0.0, last_taken - empty)], last

    def burst(self, runs):
        """Back to back, for a clock outside. One element is read, as whoever wants a result does."""
        with torch.no_grad(), self.candidate.own_code():
            for _ in range(runs):
                outputs = self.call()
            settle(outputs)


def settle(outputs):
    """Also what runs beside the stream that is current."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()
    if outputs and outputs[0].numel() > 0:
        outputs[0].reshape(-1)[0].item()


def key(request, seed):
    return request["candidate"], sorted(request["constants"].items()), sorted(request["redrawn"]), seed
