# SPDX-License-Identifier: Apache-2.0
"""What runs here."""
import os
import platform
import sys

from kernelpro_torch.failures import Failure

OLDEST = (1, 13)
GET = "Debian: apt-get install python3-torch; elsewhere: pip install torch"


def describe(device):
    try:
        import torch
    except ImportError as error:
        raise Failure("unavailable", f"{sys.executable} has no PyTorch: {error}", GET) from error
    if device == "cpu":  # the driver itself would want more memory than this process may reserve
        os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    if version(torch.__version__) < OLDEST:
        raise Failure("unavailable",
                      f"{sys.executable} has PyTorch {torch.__version__}; 1.13 or later is needed", GET)
    return {"python": sys.executable, "python_version": platform.python_version(),
            "torch_version": torch.__version__, "device": name_of(torch, device),
            "cuda": torch.cuda.is_available(), "compile": hasattr(torch, "compile")}


def version(text):
    """(2, 1) of "2.1.0a0+cu121"."""
    parts = text.split(".")
    return tuple(int("".join(c for c in part if c.isdigit()) or 0) for part in parts[:2])


def name_of(torch, device):
    if device.startswith("cuda"):
        if not torch.cuda.is_available():
            raise Failure("unavailable", f"PyTorch {torch.__version__} of {sys.executable} sees no GPU",
                          "install a PyTorch with CUDA, or ask for device cpu")
        torch.empty(1, device=device)  # the context takes half a second, while nobody waits for it yet
        return torch.cuda.get_device_name(torch.device(device))
    return "cpu"
