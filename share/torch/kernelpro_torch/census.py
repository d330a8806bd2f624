# SPDX-License-Identifier: Apache-2.0
"""Which kernels a run launches, and how long each takes, as PyTorch's profiler sees it."""
import torch
from torch.autograd import DeviceType

from kernelpro_torch import failures


def kernels(trial, device):
    if not device.startswith("cuda"):
        raise failures.unsupported("kernels run on a GPU only", "ask for device cuda")
    trial.once()  # what is compiled or tried out on the first call is no part of it
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
        trial.once()
        torch.cuda.synchronize()
    return counted(seen.events())


def counted(events):
    """By name, the longest first; copies and fills by the GPU are among them."""
    found = {}
    for event in events:
        if event.device_type != DeviceType.CUDA or getattr(event, "is_user_annotation", False):
            continue
        kernel = found.setdefault(event.name, {"name": event.name, "nanoseconds": 0.0, "launches": 0})
        kernel["nanoseconds"] += event.time_range.elapsed_us() * 1e3
        kernel["launches"] += 1
    return sorted(found.values(), key=lambda kernel: -kernel["nanoseconds"])
