# SPDX-License-Identifier: Apache-2.0
"""What a problem takes and gives under some constants."""
import torch

from kernelpro_torch import dependence, failures, placing
from kernelpro_torch.count import Count


def describe(problem, request, device):
    constants = request["constants"]
    if not request["values"]:
        return shapes(problem, constants)
    return {**with_values(problem, constants, device), **flops(problem, constants)}


def shapes(problem, constants):
    """Without any array."""
    count = Count()
    try:
        with placing.shapes_only(count), torch.no_grad():
            instance = problem.instance(constants)
            count.on = True
            outputs = instance.run()
    except failures.Failure as failure:
        raise unfollowed(failure) from failure
    return {**members(instance, outputs, member), **count.totals()}


UNFOLLOWED = ("meta", "aten::", "item()", "dispatch")


def unfollowed(failure):
    """Errors of the problem's own are told from operations that need values."""
    cause = failure.__cause__
    by_us = isinstance(cause, NotImplementedError) or isinstance(cause, RuntimeError) and any(
        sign in str(cause).lower() for sign in UNFOLLOWED)
    if failure.kind != "invalid" or not by_us:
        return failure
    return failures.unsupported(f"its shapes cannot be followed without values: {failure.message}",
                                "probe it with values, at sizes for which there is memory")


def flops(problem, constants):
    """Of operations in the form that they have without a device; null where that cannot be told."""
    try:
        told = shapes(problem, constants)
    except failures.Failure:
        return {"contraction_flops": None, "other_flops": None}
    return {key: told[key] for key in ("contraction_flops", "other_flops")}


def with_values(problem, constants, device):
    with placing.on(device):
        instance = problem.instance(constants)
        runs = dependence.Runs(instance)
        outputs = runs.outputs()
        told = members(instance, outputs, spread_member)
        return {**told, "random": runs.random(), "unused": dependence.unused(runs)}


def members(instance, outputs, describe_one):
    weights = [(name, place.get()) for name, place in instance.weights.items()]
    inputs = zip(instance.input_names, instance.inputs)
    return {kind: [describe_one(*pair) for pair in pairs]
            for kind, pairs in (("inputs", inputs), ("weights", weights), ("outputs", outputs))}


def member(name, value):
    if isinstance(value, torch.Tensor):
        return {"name": name, "dtype": str(value.dtype).split(".")[-1], "shape": list(value.shape)}
    return {"name": name, "dtype": type(value).__name__, "shape": [], "number": float(value)}


def spread_member(name, value):
    told = member(name, value)
    if isinstance(value, torch.Tensor) and value.numel() > 0:
        told["spread"] = spread(value.detach())
    return told


def spread(tensor):
    wide = tensor.to(torch.float64)
    return {"least": wide.min().item(), "most": wide.max().item(), "mean": wide.mean().item(),
            "deviation": wide.std(unbiased=False).item()}
