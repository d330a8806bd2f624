# SPDX-License-Identifier: Apache-2.0
"""Single files with a plan, compiled by nvcc, launched through CuPy and timed in pairs: an opinion that owes KernelPro nothing."""
import concurrent.futures
import os
import pathlib
import re
import tempfile

import measuring

FLUSH = 256 << 20   # bytes written and read before each launch: more than four times the L2
RESAMPLES = 2000


def tunes_of(source):
    found = (re.match(r"tune\s+(\w+)\s+in\s+(\d+)", s) for s in measuring.statements(source))
    return {m[1]: int(m[2]) for m in found if m}


def compile_all(files):
    """The cubin of each file; the default of each tune parameter. The folder lives as long as the result."""
    folder = tempfile.TemporaryDirectory()

    def one(numbered):
        number, file = numbered
        cubin = pathlib.Path(folder.name) / f"{number}.cubin"
        measuring.compile_cubin(file, cubin, *(f"-D{n}={v}" for n, v in tunes_of(file.read_text()).items()))
        return file, cubin
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return folder, dict(pool.map(one, enumerate(files)))


class Version:
    """One source, bound to arrays: `launch()` runs the timed steps of its plan."""

    def __init__(self, cupy, source, cubin, axes, arrays, scalars):
        self.cupy, self.text = cupy, source.read_text()
        plan = measuring.statements(self.text)
        self.axes = {**axes, **tunes_of(self.text)}
        self.module = cupy.RawModule(path=str(cubin))
        self.arrays, self.scalars = dict(arrays), scalars
        for name, dtype, shape in (re.match(r"buffer\s+(\w+)\s*:\s*(\w+)\s*\[(.*)\]", s).groups()
                                   for s in plan if s.startswith("buffer")):
            shape = [measuring.evaluate(d, self.axes)[0] for d in measuring.split(shape)]
            self.arrays[name] = measuring.zeros(cupy, shape, measuring.DTYPES[dtype])
        for s in plan:
            if s.startswith("prepare"):
                self.bind(s[len("prepare"):].strip())()
        self.steps = [self.bind(s) for s in plan if s.startswith(("launch", "zero"))]

    def bind(self, statement):
        if statement.startswith("zero"):
            memory = self.arrays[statement.split()[1]]
            return lambda: memory.data.memset_async(0, memory.nbytes)
        return measuring.Launch(self.cupy, self.module, statement, self.axes, self.arrays, self.scalars, self.text)

    def launch(self):
        for step in self.steps:
            step()


def measure(cupy, versions, outputs, pairs):
    """Microseconds of each launch, [version][pair], in the order AB BA AB BA."""
    cold = measuring.ColdCache(cupy, FLUSH, reads=True)
    times = [[], []]
    for pair in range(pairs + 3):
        for which in ((0, 1) if pair % 2 == 0 else (1, 0)):
            for output in outputs:
                output.fill(0)
            spent = cold.nanoseconds(versions[which].launch)
            if pair >= 3:
                times[which].append(spent / 1e3)
    return times


def interval(ratios):
    import numpy
    random = numpy.random.RandomState(1)
    medians = [numpy.median(random.choice(ratios, len(ratios))) for _ in range(RESAMPLES)]
    return [float(q) for q in numpy.quantile(medians, [0.025, 0.975])]


def compare(cupy, task, sources, cubins, pairs):
    """Two sources on the largest timed workload of a task: times, the paired ratio, how far the results differ."""
    import numpy
    axes, tensors, scalars = measuring.read_task(task)
    arrays = measuring.make_arrays(cupy, axes, tensors)
    outputs = {n: arrays[n] for n, tensor in tensors.items() if tensor[0] in ("output", "inout")}
    versions = [Version(cupy, s, cubins[s], axes, arrays, scalars) for s in sources]
    results = []
    for version in versions:
        for output in outputs.values():
            output.fill(0)
        version.launch()
        results.append({n: measuring.to_double(cupy, a, tensors[n][1]) for n, a in outputs.items()})
    error = max(float(cupy.linalg.norm((results[0][n] - results[1][n]).ravel()) /
                      max(float(cupy.linalg.norm(results[0][n].ravel())), 1e-300)) for n in outputs)
    del results
    times = measure(cupy, versions, outputs.values(), pairs)
    ratios = numpy.array(times[0]) / numpy.array(times[1])
    del versions, arrays, outputs
    cupy.get_default_memory_pool().free_all_blocks()
    return {"before_us": float(numpy.median(times[0])), "after_us": float(numpy.median(times[1])),
            "gain": float(numpy.median(ratios)), "gain_95": interval(ratios), "difference_l2": error}
