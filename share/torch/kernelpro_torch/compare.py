# SPDX-License-Identifier: Apache-2.0
"""Outputs of a candidate beside those of the problem in double, with the weights and the inputs that
its own code makes from the seed. The candidate's come in a file; none of its code runs here.
"""
import math

import torch

from kernelpro_torch import compute, failures, placing, precision, raw, seeds, tally
from kernelpro_torch.dependence import copied


def compared(problem, request, descriptors, device):
    given = [raw.Output(descriptors[0], entry) for entry in request["outputs"]]
    with torch.no_grad():
        with placing.on(device):
            eager, expected, nudged = outputs(problem, request, device)
        count = max(len(given), len(expected))
        rows = zip(padded(given, count), padded(expected, count), padded(eager, count),
                   padded(nudged, count))
        return {"outputs": [row(*each) for each in rows]}


def outputs(problem, request, device):
    """[(name, tensor)] three times: as the problem is, in double, and in double with inputs that are
    a little off."""
    with precision.usual():
        instance = problem.instance(request["constants"], request["seed"])
        seeds.screened(instance, request["redrawn"], request["seed"])
        weights = {name: copied(place.get()) for name, place in instance.weights.items()}
        inputs, nudge = instance.inputs, request["nudge"]
        precision.use(request.get("precision", "default"))
        eager = ran(instance, [copied(value) for value in inputs], request)
        del instance
        wide = Wide(problem, request, weights, device)
        expected = wide.outputs(widened(inputs))
        nudged = wide.outputs(off(widened(inputs), nudge, request["seed"])) if nudge else []
        return eager, expected, nudged


class Wide:
    """The problem in double."""

    def __init__(self, problem, request, weights, device):
        self.request, self.weights, self.device = request, weights, device
        with compute.default_double():
            self.instance = problem.instance(request["constants"], request["seed"])
        self.instance.inputs = []  # others are given; these hold memory

    def outputs(self, inputs):
        with compute.default_double():
            weights = {name: copied(value) for name, value in self.weights.items()}
            compute.set_weights(self.instance, weights, self.device)
            with compute.Wide():
                return ran(self.instance, inputs, self.request)


def ran(instance, inputs, request):
    seeds.plant(request["seed"], "run")  # of problems that draw while they run
    return instance.run(inputs)


def widened(inputs):
    return [value.to(torch.float64) if is_floating(value) else copied(value) for value in inputs]


def off(inputs, nudge, seed):
    """Each element by its own sign."""
    seeds.plant(seed, "nudge")
    for value in inputs:
        if is_floating(value):
            value.mul_(torch.empty_like(value).bernoulli_(0.5).mul_(2 * nudge).add_(1 - nudge))
    return inputs


def is_floating(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def padded(values, count):
    return list(values) + [None] * (count - len(values))


def row(given, expected, eager, nudged):
    """What is missing on one side differs in shape."""
    name, reference = expected or (given.name, None)
    elements = math.prod(given.shape) if reference is None else reference.numel()
    if given is None or reference is None or given.shape != list(reference.shape):
        return {"name": name, "elements": elements, "shape_differs": True, **unknown(elements)}
    if eager is None or eager[1].shape != reference.shape:
        raise failures.unsupported(f"its output {name} has another shape in double")
    changed = nudged[1] if nudged is not None and nudged[1].shape == reference.shape else None
    told = tally.Tally(reference, eager[1], changed).told(given)
    return {"name": name, "elements": elements, "shape_differs": False, **told}


def unknown(elements):
    """Nothing was compared: every element is wrong, by nobody knows how much."""
    lengths = ("error_l2", "norm_l2", "response_l2", "eager_error_l2", "worst", "got", "expected")
    counts = ("special", *tally.PUBLISHED)
    return {**dict.fromkeys(lengths, math.nan), **dict.fromkeys(counts, elements), "worst_index": -1}
