# SPDX-License-Identifier: Apache-2.0
"""Whether products and convolutions of f32 may be done in TF32."""
import contextlib

import torch

from kernelpro_torch.failures import invalid

ALLOWED = {"f32": False, "tf32": True}
PLACES = (torch.backends.cuda.matmul, torch.backends.cudnn)
USUAL = [place.allow_tf32 for place in PLACES]  # before the code of any problem ran


def put(values):
    for place, value in zip(PLACES, values):
        place.allow_tf32 = value


@contextlib.contextmanager
def usual():
    """What the code of a problem, or we, set inside does not last, nor does what it set earlier."""
    put(USUAL)
    try:
        yield
    finally:
        put(USUAL)


def use(name):
    """"default" leaves it as PyTorch and the problem's own code have it."""
    if name == "default":
        return
    if name not in ALLOWED:
        raise invalid(f"no precision {name}", "there are: default, f32, tf32")
    put([ALLOWED[name]] * len(PLACES))
