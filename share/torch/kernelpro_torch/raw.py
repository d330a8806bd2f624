# SPDX-License-Identifier: Apache-2.0
"""Outputs in their own types, in a file without a name that the judge made: the guest writes, the
judge's worker reads. The guest still has the file then, so it is never mapped by the reader, and
nothing that an entry says of it is believed.
"""
import math
import mmap
import os

import torch

from kernelpro_torch.arrays import ALIGNMENT, aligned
from kernelpro_torch.failures import invalid, unsupported

NAMES = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int64", "int32",
         "int16", "int8", "uint8", "bool")
TYPES = {name: getattr(torch, name) for name in NAMES if hasattr(torch, name)}
PLAIN = (torch.Tensor, torch.nn.Parameter)


def plain(tensor):
    """What stands in memory, whatever class the tensor has. Values that a class has still to compute
    are computed here."""
    if type(tensor) in PLAIN:
        return tensor
    with torch._C.DisableTorchFunction():
        bare = tensor.detach()
        if type(bare) is not torch.Tensor:  # it has no memory, but says how to fill some
            bare = torch.empty(bare.shape, dtype=bare.dtype, device=bare.device).copy_(bare)
        return bare


def name_of(tensor):
    name = str(tensor.dtype).split(".")[-1]
    if name not in TYPES or tensor.layout != torch.strided:
        raise unsupported(f"an output is {tensor.layout} of {name}")
    return name


def size_of(dtype):
    return torch.empty(0, dtype=dtype).element_size()


def write(descriptor, tensors):
    """[(name, plain tensor)] instead of what the file holds; entries by which they are found."""
    entries, end = [], 0
    for name, tensor in tensors:
        size = tensor.numel() * tensor.element_size()
        entries.append({"name": name, "dtype": name_of(tensor), "shape": list(tensor.shape),
                        "offset": end, "bytes": size})
        end = aligned(end + size)
    os.ftruncate(descriptor, max(end, ALIGNMENT))
    shared = mmap.mmap(descriptor, 0)
    for entry, (_, tensor) in zip(entries, tensors):
        if tensor.numel() > 0:
            target = torch.frombuffer(shared, dtype=tensor.dtype, count=tensor.numel(),
                                      offset=entry["offset"])
            target.copy_(tensor.detach().reshape(-1))
    return entries


class Output:
    """One entry of a file, checked against it."""

    def __init__(self, descriptor, entry):
        self.descriptor, self.name, self.offset = descriptor, entry["name"], entry["offset"]
        self.shape, self.dtype = list(entry["shape"]), TYPES.get(entry["dtype"])
        if self.dtype is None:
            raise invalid(f"{self.name} is of {entry['dtype']}", f"there are: {', '.join(TYPES)}")
        self.width = size_of(self.dtype)
        size = math.prod(self.shape) * self.width
        whole = os.fstat(descriptor).st_size
        if size != entry["bytes"] or min([0, self.offset, *self.shape]) < 0 or self.offset + size > whole:
            raise invalid(f"{self.name} of {self.shape} is said to be {entry['bytes']} bytes at "
                          f"{self.offset} of a file of {whole} bytes")

    def part(self, start, stop):
        """Elements in a copy of their own."""
        if start == stop:
            return torch.empty(0, dtype=self.dtype)
        held = bytearray((stop - start) * self.width)
        view, position = memoryview(held), self.offset + start * self.width
        while view:
            count = os.preadv(self.descriptor, [view], position)
            if count <= 0:
                raise invalid(f"{self.name} has left its file")
            view, position = view[count:], position + count
        if self.dtype == torch.bool:  # any other byte is no value of this type
            return torch.frombuffer(held, dtype=torch.uint8) != 0
        return torch.frombuffer(held, dtype=self.dtype)
