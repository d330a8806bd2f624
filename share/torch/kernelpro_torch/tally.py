# SPDX-License-Identifier: Apache-2.0
"""How far one output of a candidate is from what it should be, part by part: a whole one may not fit
beside the reference once more.
"""
import math

import torch

PART = 1 << 24  # elements
PUBLISHED = {"beyond_1e4": 1e-4, "beyond_1e2": 1e-2}  # tolerances of KernelBench, by what is counted


class Tally:
    """`expected` in double, `eager` in the problem's own types, `nudged` like expected, or None."""

    def __init__(self, expected, eager, nudged):
        self.expected, self.eager = expected.detach().reshape(-1), eager.detach().reshape(-1)
        self.nudged = None if nudged is None else nudged.detach().reshape(-1)
        self.exact = not expected.is_floating_point()
        self.squares = {"error_l2": 0.0, "norm_l2": 0.0, "response_l2": 0.0, "eager_error_l2": 0.0}
        self.counts = {"special": 0, **dict.fromkeys(PUBLISHED, 0)}
        self.worst = {"worst": -1.0, "worst_index": -1, "got": math.nan, "expected": math.nan}

    def told(self, output):
        """Of an output (raw.Output) with as many elements."""
        self.middle = self.mean()
        for start in range(0, self.expected.numel(), PART):
            stop = min(start + PART, self.expected.numel())
            self.add(start, output.part(start, stop).to(self.expected.device))
        roots = {key: math.sqrt(value) for key, value in self.squares.items()}
        return {**roots, **self.counts, **self.worst, "worst": max(0.0, self.worst["worst"])}

    def mean(self):
        """Of what is finite; nothing is taken off a single element."""
        total = count = 0
        for part in self.expected.split(PART) if self.expected.numel() > 1 else ():
            finite = part.double()[part.isfinite()]
            total, count = total + finite.sum().item(), count + finite.numel()
        return total / max(count, 1)

    def add(self, start, got):
        stop = start + got.numel()
        part, eager = self.expected[start:stop], self.eager[start:stop]
        wide, expected = got.double(), part.double()
        self.square("error_l2", wide, expected)
        self.square("norm_l2", torch.full_like(expected, self.middle), expected)
        self.square("eager_error_l2", eager.double(), expected)
        if self.nudged is not None:
            self.square("response_l2", self.nudged[start:stop].double(), expected)
        special = differing(got, part) if self.exact else unlike(wide, expected)
        self.counts["special"] += special.sum().item()
        self.find_worst(start, wide, expected, special)
        self.published(got, eager)

    def square(self, name, some, expected):
        gap = torch.where(some.isfinite() & expected.isfinite(), some - expected, 0.0)
        self.squares[name] += gap.square_().sum().item()

    def find_worst(self, start, got, expected, special):
        """Nothing is further apart than a number from what is none."""
        gap = (got - expected).abs_().nan_to_num_(nan=0.0, posinf=0.0)
        if not self.exact:
            gap.masked_fill_(special, math.inf)
        index = gap.argmax().item()
        if gap[index].item() > self.worst["worst"]:
            self.worst = {"worst": gap[index].item(), "worst_index": start + index,
                          "got": got[index].item(), "expected": expected[index].item()}

    def published(self, got, eager):
        dtype = torch.float64 if self.exact else torch.float32
        got, eager = got.to(dtype), eager.to(dtype)
        for name, tolerance in PUBLISHED.items():
            self.counts[name] += (~torch.isclose(got, eager, tolerance, tolerance)).sum().item()


def unlike(some, others):
    """Where one is NaN or infinite and the other not the same."""
    same = (some == others) | (some.isnan() & others.isnan())
    return ~(some.isfinite() & others.isfinite()) & ~same


def differing(some, others):
    if some.is_floating_point():
        return some.double() != others.double()
    return some.long() != others.long()
