# SPDX-License-Identifier: Apache-2.0
"""What a problem takes and gives under some constants."""
import torch

from kernelpro_torch import failures, placing
from kernelpro_torch.count import Count


def describe(problem, request, device):
    return shapes(problem, request["constants"])


def shapes(problem, constants):
    """Without any array. Looking at a value that is not there is what a model cannot do here."""
    count = Count()
    switch = Switch(count)
    try:
        with placing.shapes_only(switch):
            instance = problem.instance(constants)
            switch.on = True
            outputs = instance.run()
    except (NotImplementedError, RuntimeError) as error:
        raise unfollowed(error, problem) from error
    return {**members(instance, outputs), "contraction_flops": float(count.contraction),
            "other_flops": float(count.other)}


class Switch:
    """Watches the run, not the making of inputs and weights."""

    def __init__(self, watch):
        self.watch, self.on = watch, False

    def __call__(self, *seen):
        if self.on:
            self.watch(*seen)


UNFOLLOWED = ("meta", "aten::", "item()", "dispatch")


def unfollowed(error, problem):
    """Errors of the problem's own are told from operations that need values."""
    failure = failures.of(error, problem.file)
    if isinstance(error, NotImplementedError) or any(sign in str(error) for sign in UNFOLLOWED):
        return failures.unsupported(f"its shapes cannot be followed without values: {failure.message}",
                                    "probe it with values, at sizes for which there is memory")
    return failure


def members(instance, outputs):
    inputs = [member(*pair) for pair in zip(instance.input_names, instance.inputs)]
    weights = [member(name, place.get()) for name, place in instance.weights.items()]
    return {"inputs": inputs, "weights": weights, "outputs": [member(*pair) for pair in outputs]}


def member(name, value):
    if isinstance(value, torch.Tensor):
        return {"name": name, "dtype": str(value.dtype).split(".")[-1], "shape": list(value.shape)}
    return {"name": name, "dtype": type(value).__name__, "shape": [], "number": float(value)}
