# SPDX-License-Identifier: Apache-2.0
"""Generators of random numbers, planted anew for each use, so that whatever one part of a problem
draws, the next part gets the same numbers: in another process, and beside another model too.
"""
import hashlib
import random
import sys

import torch

from kernelpro_torch.failures import invalid

LARGEST = 1 << 63  # PyTorch takes seeds below


def derived(seed, use):
    """Another seed: that of `use`."""
    digest = hashlib.blake2b(f"{seed} {use}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") % LARGEST


def plant(seed, use=None):
    """All generators that a problem's code may draw from. PyTorch's on the CPU looks at 32 bits."""
    planted = seed % LARGEST if use is None else derived(seed, use)
    random.seed(planted)
    torch.manual_seed(planted)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(planted % (1 << 32))


def normal_like(tensor):
    """Drawn from N(0, 1) where the tensor stands and as it lies; narrow types have no generator of
    their own everywhere."""
    wide = torch.promote_types(tensor.dtype, torch.float32)
    return torch.empty_like(tensor, dtype=wide).normal_().to(tensor.dtype)


def screened(instance, names, seed):
    """The named inputs are drawn from N(0, 1), in the order of the inputs."""
    floating = [name for name, value in zip(instance.input_names, instance.inputs)
                if isinstance(value, torch.Tensor) and value.is_floating_point()]
    unknown = sorted(set(names) - set(floating))
    if unknown:
        raise invalid(f"no floating-point input {unknown[0]}", f"there are: {floating}")
    plant(seed, "redrawn")
    for position, name in enumerate(instance.input_names):
        if name in names:
            instance.inputs[position] = normal_like(instance.inputs[position])
