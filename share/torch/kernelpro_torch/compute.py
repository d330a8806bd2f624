# SPDX-License-Identifier: Apache-2.0
"""The outputs in double, for given inputs and weights."""
import contextlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from kernelpro_torch import arrays, placing
from kernelpro_torch.failures import invalid

NARROW = (torch.float32, torch.float16, torch.bfloat16)


class Wide(TorchDispatchMode):
    """Where the code names a narrower type, double is meant."""

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if kwargs.get("dtype") in NARROW:
            kwargs["dtype"] = torch.float64
        args = [torch.float64 if isinstance(value, torch.dtype) and value in NARROW else value
                for value in args]
        return operation(*args, **kwargs)


@contextlib.contextmanager
def default_double():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def outputs(problem, request, descriptors, device):
    given = arrays.read(descriptors[0], request["arrays"])
    with placing.on(device), default_double():
        instance = problem.instance(request["constants"])
        inputs = [put(given, name, old, device) for name, old in
                  zip(instance.input_names, instance.inputs)]
        set_weights(instance, given, device)
        if given:
            raise invalid(f"no input or weight {sorted(given)[0]}")
        with Wide(), torch.no_grad():
            made = instance.run(inputs)
    return {"arrays": arrays.write(descriptors[0], made)}


def own_values(problem, request, descriptors, device):
    """Inputs and weights as the problem's own code makes them from a seed."""
    with placing.on(device):
        instance = problem.instance(request["constants"], request["seed"])
    values = [(name, torch.as_tensor(value, dtype=torch.float64)) for name, value in
              zip(instance.input_names, instance.inputs)]
    values += [(name, place.get()) for name, place in instance.weights.items()]
    return {"arrays": arrays.write(descriptors[0], values)}


def put(given, name, old, device):
    """The given values in the shape and the kind of number of the problem's own."""
    if name not in given:
        raise invalid(f"input {name} is missing")
    values = given.pop(name)
    if not isinstance(old, torch.Tensor):
        return type(old)(values.item())
    return shaped(name, values, old, device)


def shaped(name, values, old, device):
    if values.numel() != old.numel():
        raise invalid(f"{name} has {values.numel()} elements instead of {old.numel()}")
    dtype = torch.float64 if old.is_floating_point() else old.dtype
    return values.reshape(old.shape).to(dtype=dtype, device=device)


def set_weights(instance, given, device):
    """What is not given stays as the problem's own code makes it, in double."""
    for name, place in instance.weights.items():
        old = place.get()
        if name in given:
            place.put(shaped(name, given.pop(name), old, device))
        elif old.is_floating_point():
            place.put(old.detach().to(torch.float64))
