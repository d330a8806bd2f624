# SPDX-License-Identifier: Apache-2.0
"""Whether products and convolutions of f32 may be done in TF32."""
import contextlib

import torch

from kernelpro_torch.failures import invalid

# (products, convolutions and recurrent networks), as PyTorch calls them
SETTINGS = {"f32": ("highest", False), "tf32": ("high", True)}
# Before the code of any problem ran.
USUAL = (torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32)


def put(products, others):
    torch.set_float32_matmul_precision(products)
    torch.backends.cudnn.allow_tf32 = others


@contextlib.contextmanager
def usual():
    """What the code of a problem, or we, set inside does not last, nor does what it set earlier."""
    put(*USUAL)
    try:
        yield
    finally:
        put(*USUAL)


def use(name):
    """"default" leaves it as PyTorch and the problem's own code have it."""
    if name == "default":
        return
    if name not in SETTINGS:
        raise invalid(f"no precision {name}", "there are: default, f32, tf32")
    put(*SETTINGS[name])
