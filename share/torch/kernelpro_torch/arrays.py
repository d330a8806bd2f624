# SPDX-License-Identifier: Apache-2.0
"""Arrays of doubles in memory that both sides see: a file without a name that the client made. Each
stands at its byte offset; the client's come first, ours behind them.
"""
import mmap
import os

import torch

ALIGNMENT = 64  # bytes
DOUBLE = 8  # bytes


def read(descriptor, entries):
    """{name: tensor of doubles}; they stand in the shared memory itself."""
    size = os.fstat(descriptor).st_size
    shared = mmap.mmap(descriptor, size) if size else None
    return {e["name"]: part(shared, e["offset"], e["count"]) for e in entries}


def part(shared, offset, count):
    if count == 0:
        return torch.empty(0, dtype=torch.float64)
    return torch.frombuffer(shared, dtype=torch.float64, count=count, offset=offset)


def write(descriptor, tensors):
    """Appends [(name, tensor)]; the entries by which the client finds them."""
    entries, end = [], aligned(os.fstat(descriptor).st_size)
    for name, tensor in tensors:
        entries.append({"name": name, "offset": end, "count": tensor.numel()})
        end = aligned(end + DOUBLE * tensor.numel())
    os.ftruncate(descriptor, max(end, ALIGNMENT))
    shared = mmap.mmap(descriptor, 0)
    for entry, (_, tensor) in zip(entries, tensors):
        part(shared, entry["offset"], entry["count"]).copy_(tensor.detach().reshape(-1))
    return entries


def aligned(offset):
    return -(-offset // ALIGNMENT) * ALIGNMENT
