# SPDX-License-Identifier: Apache-2.0
"""How long a problem's own code takes on a GPU, with a cold L2.

eager    as PyTorch runs it; the time to launch shows where kernels are short
compile  torch.compile
graph    a CUDA graph of eager: the same kernels without the time to launch them
PATH.py:FUNCTION  what the user names beside them (library.py)
"""
import statistics
import time

import torch

from kernelpro_torch import failures, library, placing, precision

LEAST_FLUSH = 256 << 20  # bytes; twice the L2 of any GPU up to now
EMPTY_PAIRS = 10
FEWEST = 3  # runs, whatever they take
GRAPH_WARMUPS = 3  # on a stream of its own, as PyTorch asks for before a capture


def times(problem, request, device):
    if not device.startswith("cuda"):
        raise failures.unsupported("timing needs a GPU", "ask for device cuda")
    told = {"nanoseconds": {}, "failures": {}}
    with torch.cuda.device(torch.device(device)):
        for mode in request["modes"]:
            try:
                told["nanoseconds"][mode] = of_mode(problem, request, device, mode)
            except failures.Failure as failure:
                if failure.ends:
                    raise
                told["failures"][mode] = failure.message
            forget()
    return told


def of_mode(problem, request, device, mode):
    with torch.no_grad(), precision.usual():
        with placing.on(device):
            instance = problem.instance(request["constants"], request["seed"])
        precision.use(request.get("precision", "default"))
        with library.own_code(mode) if library.is_named(mode) else problem.own_code():
            run = made(instance, mode, request["seed"])
            return sample(run, Gpu(), request["warmups"], request["runs"], request["budget"])


def made(instance, mode, seed):
    if library.is_named(mode):
        return library.verified(mode, instance, seed)
    if mode not in MODES:
        raise failures.invalid(f"no mode {mode}", f"there are: {', '.join(MODES)}, PATH.py:FUNCTION")
    return MODES[mode](instance)


def eager(instance):
    call = instance.model or instance.function
    return lambda: call(*instance.inputs)


def compiled(instance):
    if not hasattr(torch, "compile"):
        raise failures.unsupported(f"PyTorch {torch.__version__} has no torch.compile")
    call = torch.compile(instance.model or instance.function)
    return lambda: call(*instance.inputs)


def graph(instance):
    run, side = eager(instance), torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(GRAPH_WARMUPS):
            run()
    torch.cuda.current_stream().wait_stream(side)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        kept = run()  # its memory belongs to the graph

    def replay(_keep=kept):
        captured.replay()
    return replay


MODES = {"eager": eager, "compile": compiled, "graph": graph}


class Gpu:
    """What sample() needs of the current device."""

    def __init__(self):
        properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        bytes_ = max(LEAST_FLUSH, 2 * getattr(properties, "L2_cache_size", 0))
        self.buffer = torch.zeros(bytes_ // 4, dtype=torch.float32, device="cuda")

    def flush(self):
        """Everything in L2 is replaced, and what was written has left it when the interval starts."""
        self.buffer.add_(1)
        self.buffer.max()

    def event(self):
        return torch.cuda.Event(enable_timing=True)

    def synchronize(self):
        torch.cuda.synchronize()


def sample(run, gpu, warmups, runs, budget, clock=time.monotonic):
    """Nanoseconds of each run, less those of an interval with nothing in it."""
    for _ in range(warmups):
        run()
    gpu.synchronize()
    empty = nothing(gpu)
    taken, start = [], clock()
    while len(taken) < runs and (len(taken) < FEWEST or clock() - start < budget):
        taken.append(max(0.0, interval(run, gpu) - empty))
    return taken


def nothing(gpu):
    return statistics.median(interval(lambda: None, gpu) for _ in range(EMPTY_PAIRS))


def interval(run, gpu):
    first, last = gpu.event(), gpu.event()
    gpu.flush()
    first.record()
    run()
    last.record()
    gpu.synchronize()
    return first.elapsed_time(last) * 1e6  # from milliseconds


def forget():
    """Nothing of one mode is left for the next."""
    if hasattr(torch, "_dynamo"):
        torch._dynamo.reset()
    torch.cuda.empty_cache()
