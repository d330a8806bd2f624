# SPDX-License-Identifier: Apache-2.0
"""Inputs whose values change before each run while their tensors stay: what a candidate keeps of an
earlier run, by whatever it knows them, is wrong. The values of the last run it has never seen.
"""
import torch

from kernelpro_torch.dependence import copied
from kernelpro_torch.failures import unsupported

STEPS = 64  # of a factor between 1 and 1/2: bfloat16 tells two that follow each other apart
SCALED = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


class Turning:
    def __init__(self, usual, last):
        """Both as get_inputs() gives them, from two seeds."""
        if [kind(value) for value in usual] != [kind(value) for value in last]:
            raise unsupported("another seed gives inputs of other shapes, so that it cannot be timed")
        self.usual, self.last = usual, last
        self.values = [copied(value) for value in last]
        self.count = 0
        self.put(usual, 1)

    def turn(self):
        self.count += 1
        self.put(self.usual, 1 - self.count % STEPS / (2 * STEPS))

    def end(self):
        self.put(self.last, 1)

    def put(self, source, factor):
        """Past the count of changes that a tensor shows."""
        for value, new in zip(self.values, source):
            if isinstance(value, torch.Tensor):
                value.data.copy_(new)
                if value.dtype in SCALED and factor != 1:
                    value.data.mul_(factor)


def kind(value):
    return (value.shape, value.dtype) if isinstance(value, torch.Tensor) else value


class Turned:
    """A GPU on which the inputs turn before each interval, ahead of the flush."""

    def __init__(self, gpu, turning):
        self.gpu, self.turning = gpu, turning
        self.event, self.synchronize = gpu.event, gpu.synchronize

    def flush(self):
        self.turning.turn()
        self.gpu.flush()
