# SPDX-License-Identifier: Apache-2.0
"""What the outputs of a problem depend on, found by running it."""
import math

import torch

from kernelpro_torch.failures import Failure

# How far weights are changed, in units of their size: an argmax does not follow a small change, and
# a large one may drown in what it saturates.
NOISES = (0.5, 4.0, 64.0)
MOST_RUNS = 300  # whatever is not known by then counts as used
SAME = 16  # times the distance of two equal runs: by chance others are a little further apart


class Runs:
    """Runs of one instance on equal inputs; whatever a run changes is put back before the next."""

    def __init__(self, instance, seed=1):
        self.instance, self.seed = instance, seed
        self.inputs = [copied(value) for value in instance.inputs]
        self.weights = {name: copied(place.get()) for name, place in instance.weights.items()}
        self.usual = self.noise = None
        self.count = 0

    def prepare(self, changes=None, seed=None):
        torch.manual_seed(self.seed if seed is None else seed)
        for name, value in self.weights.items():
            self.instance.weights[name].put(copied((changes or {}).get(name, value)))
        return [copied(value) for value in self.inputs]

    def outputs(self, changes=None, seed=None):
        """[(name, tensor)]"""
        self.count += 1
        with torch.no_grad():
            return self.instance.run(self.prepare(changes, seed))

    def random(self):
        return not self.same(self.outputs(seed=self.seed + 1))

    def same(self, outputs):
        """As those of a run like any other, as far as two of them are: on a GPU sums may be taken in
        any order."""
        if self.usual is None:
            self.usual = self.outputs()
            self.noise = SAME * distance(self.usual, self.outputs())
        return distance(self.usual, outputs) <= self.noise < math.inf


def copied(value):
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def distance(some, others):
    """The largest difference of any two elements; NaN is as far from NaN as 1 from 1."""
    if [tensor.shape for _, tensor in some] != [tensor.shape for _, tensor in others]:
        return math.inf
    return max((apart(a.detach(), b.detach()) for (_, a), (_, b) in zip(some, others)), default=0.0)


def apart(a, b):
    if a.numel() == 0 or torch.equal(a, b):
        return 0.0
    wide, other = a.to(torch.float64), b.to(torch.float64)
    unequal = ~(wide == other) & ~(wide.isnan() & other.isnan())
    gap = torch.where(unequal, (wide - other).abs(), torch.zeros_like(wide))
    return torch.nan_to_num(gap, nan=math.inf, posinf=math.inf).max().item()


def unused(runs):
    """Names of weights that no output depends on. A gradient other than zero tells that one does;
    the others are changed, many at once as long as nothing follows from it."""
    if runs.random():
        return []
    used = with_gradient(runs)
    candidates = [name for name in runs.weights if name not in used]
    buffers = [name for name in candidates if runs.instance.weights[name].is_buffer()]
    others = [name for name in candidates if name not in buffers]
    found = {*unchanged(runs, buffers), *unchanged(runs, others)}  # alike in most models
    return [name for name in candidates if name in found]


def unchanged(runs, names):
    if not names or runs.count > MOST_RUNS:
        return []
    if all(runs.same(changed_outputs(runs, names, noise)) for noise in NOISES):
        return names
    if len(names) == 1:
        return []
    half = len(names) // 2
    return unchanged(runs, names[:half]) + unchanged(runs, names[half:])


def changed_outputs(runs, names, noise):
    """Nothing where the problem does not run with other values: it looks at them."""
    try:
        return runs.outputs({name: changed(runs.weights[name], noise) for name in names})
    except Failure:
        return []


def changed(value, noise):
    if value.dtype == torch.bool:
        return ~value
    if not value.is_floating_point():
        turned = value.flatten().flip(0).reshape(value.shape)  # a table of indices stays one
        return value + 1 if torch.equal(turned, value) else turned
    return value + noise * (value.abs() + 1) * (2 * torch.rand_like(value) - 1)


def with_gradient(runs):
    """Names of weights of which some output has a gradient other than zero. Buffers are written to,
    which no gradient allows."""
    try:
        with torch.enable_grad():
            inputs = runs.prepare()
            places = {name: place for name, place in runs.instance.weights.items()
                      if place.get().is_floating_point() and not place.is_buffer()}
            tensors = [place.get().requires_grad_() for place in places.values()]
            made = [t for _, t in runs.instance.run(inputs) if t.requires_grad]
            total = sum((t.double() * torch.rand_like(t.double())).sum() for t in made)
            if not made or not tensors:
                return set()
            gradients = torch.autograd.grad(total, tensors, allow_unused=True)
    except Exception:  # not every operation has one; then all weights are tried
        return set()
    return {name for name, gradient in zip(places, gradients)
            if gradient is not None and bool((gradient != 0).any())}
