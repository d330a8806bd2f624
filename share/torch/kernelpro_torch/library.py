# SPDX-License-Identifier: Apache-2.0
"""A baseline that the user names, "PATH.py:FUNCTION": a library's call, a kernel in Triton. It takes
the problem's inputs in order, and the weights that its arguments name.
"""
import hashlib
import inspect
import os

import torch

from kernelpro_torch import failures, loading, names, seeds
from kernelpro_torch.dependence import copied

TOLERANCE = 1e-2  # as wide as that of narrow types: what is timed has to be the same operation


def is_named(mode):
    return mode.rpartition(":")[0].endswith(".py")


def own_code(mode):
    return failures.of_problem(mode.rpartition(":")[0])


def verified(mode, instance, seed):
    """A call without arguments, once its outputs were found to be those of the problem."""
    with own_code(mode):
        function = found(mode)
        weights = asked(function, instance)

        def call(inputs):
            return function(*inputs, **weights)
        check(call, instance, seed)
        return lambda: call(instance.inputs)


def found(mode):
    file, _, name = mode.rpartition(":")
    if not os.path.isfile(file):
        raise failures.invalid(f"there is no file {file}", "a baseline is named PATH.py:FUNCTION")
    module = loading.imported(file, "kernelpro_baseline_" + hashlib.sha1(file.encode()).hexdigest())
    if not callable(getattr(module, name, None)):
        raise failures.invalid(f"{file} defines no function {name}()")
    return getattr(module, name)


def asked(function, instance):
    """{argument: weight} behind those of the inputs."""
    kinds = inspect.Parameter
    parameters = list(inspect.signature(function).parameters.values())
    places = [p for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
    inputs = places[:len(instance.inputs)]
    weights = {}
    for parameter in parameters:
        if parameter in inputs or parameter.kind in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD):
            continue
        if parameter.name in instance.weights:
            weights[parameter.name] = instance.weights[parameter.name].get()
        elif parameter.default is kinds.empty:
            raise failures.invalid(f"its argument {parameter.name} is no weight of the problem; there are: "
                                   f"{', '.join(instance.weights) or 'none'}")
    return weights


def check(call, instance, seed):
    def inputs():
        seeds.plant(seed, "run")
        return [copied(value) for value in instance.inputs]
    expected = [tensor for _, tensor in instance.run(inputs())]
    given = list(names.flat(call(inputs())))
    shapes = [[list(tensor.shape) for tensor in tensors] for tensors in (given, expected)]
    if shapes[0] != shapes[1]:
        raise failures.invalid(f"its outputs are {shapes[0]} instead of {shapes[1]}")
    wrong = sum(differing(*pair) for pair in zip(given, expected))
    if wrong:
        total = sum(tensor.numel() for tensor in expected)
        raise failures.invalid(f"{wrong} of {total} elements are not within {TOLERANCE} of the problem's")


def differing(given, expected):
    given = given.to(expected.device)
    if not expected.is_floating_point():
        return (given != expected).sum().item()
    close = torch.isclose(given.float(), expected.float(), TOLERANCE, TOLERANCE, equal_nan=True)
    return (~close).sum().item()
