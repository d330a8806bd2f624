# SPDX-License-Identifier: Apache-2.0
"""The outputs in double as in compute.py, but inputs and outputs lie in memory that the judge shares:
nothing of them passes through the host."""
import contextlib

import torch

from kernelpro_torch import compute, dlpack, mapping, placing
from kernelpro_torch.failures import invalid


def write(problem, request, descriptors, device, driver=None):
    """What PyTorch keeps afterwards is for the next of these."""
    driver = driver or mapping.Driver()
    place = placed(device)
    with contextlib.ExitStack() as stack:
        bases = [stack.enter_context(driver.mapped(descriptor, size, place.index or 0))
                 for descriptor, size in zip(descriptors, request["memory"])]
        stack.callback(settle, place)  # nothing may run on what is no longer mapped
        fill(problem, request, lambda entry: shared(bases, entry, place), device)
        with problem.own_code():
            synchronize(place)
    return {"keeps": torch.cuda.memory_reserved(place) if place.type == "cuda" else 0}


def placed(device):
    """With its number, and PyTorch has started its driver."""
    if not device.startswith("cuda"):
        return torch.device(device)
    return torch.zeros(1, device=device).device


def shared(bases, entry, place):
    return dlpack.tensor(bases[entry["memory"]] + entry["offset"], entry["dtype"], entry["count"], place)


def fill(problem, request, tensor, device):
    """`tensor` makes one of an entry of the request."""
    given = {name: torch.tensor(float(value), dtype=torch.float64)
             for name, value in request["numbers"].items()}
    given.update((entry["name"], tensor(entry)) for entry in request["inputs"])
    with placing.on(device), compute.default_double():
        instance = problem.instance(request["constants"])
        inputs = [compute.put(given, name, old, device) for name, old in
                  zip(instance.input_names, instance.inputs)]
        instance.inputs = inputs  # those of its own code give their memory back
        compute.set_weights(instance, given, device)
        if given:
            raise invalid(f"no input or weight {sorted(given)[0]}")
        with compute.Wide(), torch.no_grad():
            made = instance.run(inputs)
    if len(made) != len(request["outputs"]):
        raise invalid(f"it gives {len(made)} outputs, {len(request['outputs'])} are asked for")
    with problem.own_code():
        for entry, (name, value) in zip(request["outputs"], made):
            copy(tensor(entry), entry["name"], value)


def copy(target, name, value):
    if target.numel() != value.numel():
        raise invalid(f"{name} has {value.numel()} elements instead of {target.numel()}")
    target.view(value.shape).copy_(value.detach())


def synchronize(place):
    if place.type == "cuda":
        torch.cuda.synchronize(place)


def settle(place):
    """What is wrong with the GPU has been told by then."""
    with contextlib.suppress(RuntimeError):
        synchronize(place)
