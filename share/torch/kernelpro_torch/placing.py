# SPDX-License-Identifier: Apache-2.0
"""Where the arrays that a problem makes come to stand: nowhere (shapes only), or on a device."""
import contextlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from kernelpro_torch import meta_rules, recurrent

META = torch.device("meta")
SMALL = 1 << 16  # elements of an array that is really made, as some models look at such values


def tensors(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors(value)


def mapped(value, function):
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, (list, tuple)):
        parts = [mapped(part, function) for part in value]
        return type(value)(parts) if type(value) in (list, tuple) else type(value)(*parts)
    return value


def to_meta(tensor):
    if tensor.device.type == "meta":
        return tensor
    return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device=META)


def takes_device(operation):
    return any(argument.name == "device" for argument in operation._schema.arguments)


def has_known_values(operation):
    """Of those that make arrays from nothing."""
    name = operation._schema.name.split("::")[-1]
    return not name.startswith(("rand", "normal", "bernoulli", "empty", "new_empty"))


class Shapes(TorchDispatchMode):
    """No array is made but small ones of known values; shapes and dtypes are followed."""

    def __init__(self, count):
        super().__init__()
        self.count = count
        self.unknown = {}  # by address: small arrays into which something was written that is not there

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        made = self.call(operation, args, dict(kwargs or {}))
        if self.count is not None:
            self.count.see(operation, args, made)
        return made

    def call(self, operation, args, kwargs):
        given = [*tensors(args), *tensors(kwargs.values())]
        if not given and takes_device(operation):
            return self.made_from_nothing(operation, args, kwargs)
        if all(self.is_known(tensor) for tensor in given):
            return mapped(operation(*args, **kwargs), shrunk)
        if writes(operation) and given[0].device.type != "meta":
            self.unknown[address(given[0])] = given[0]
            return args[0]
        if "device" in kwargs:
            kwargs["device"] = META
        return followed(operation, mapped(args, self.without_values),
                        {key: mapped(value, self.without_values) for key, value in kwargs.items()})

    def made_from_nothing(self, operation, args, kwargs):
        kwargs["device"] = META
        made = operation(*args, **kwargs)
        if not has_known_values(operation) or any(t.numel() > SMALL for t in tensors([made])):
            return made
        kwargs["device"] = torch.device("cpu")
        return operation(*args, **kwargs)

    def is_known(self, tensor):
        return tensor.device.type != "meta" and address(tensor) not in self.unknown

    def without_values(self, tensor):
        if tensor.dim() == 0 and self.is_known(tensor):
            return tensor  # a single value mixes with anything
        return to_meta(tensor)


def address(tensor):
    storage = getattr(tensor, "untyped_storage", tensor.storage)()
    return storage.data_ptr()


def followed(operation, args, kwargs):
    try:
        return operation(*args, **kwargs)
    except NotImplementedError:
        rule = meta_rules.RULES.get(operation._schema.name)
        if rule is None:
            raise
        return rule(*args, **kwargs)


def shrunk(tensor):
    return tensor if tensor.numel() <= SMALL else to_meta(tensor)


def writes(operation):
    first = operation._schema.arguments[:1]
    return bool(first) and first[0].alias_info is not None and first[0].alias_info.is_write


@contextlib.contextmanager
def shapes_only(count=None):
    """`count` (count.py) hears of every operation."""
    with recurrent.Recurrences(count), Shapes(count):
        yield


class Placed(TorchDispatchMode):
    """Arrays made from nothing are made on the device, whatever the code says of the CPU."""

    def __init__(self, device):
        super().__init__()
        self.device = torch.device(device)

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if takes_device(operation) and not any(True for _ in tensors(args)):
            kwargs["device"] = self.device
        return operation(*args, **kwargs)


def on(device):
    if device == "cpu":
        return contextlib.nullcontext()
    if hasattr(torch.device, "__enter__"):  # PyTorch 2.0
        return torch.device(device)
    return Placed(device)
