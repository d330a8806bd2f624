# SPDX-License-Identifier: Apache-2.0
"""What the scripts that run kernels on a real GPU have in common: plans and tasks, arrays, launches, times.

tools/calibrate and tools/gpu_check use it. `cupy` is passed in, so that plans can be read without a GPU.
"""
import json
import math
import re
import subprocess
import sys

DTYPES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "i32": "int32", "u32": "uint32",
          "u16": "uint16", "i8": "int8", "u8": "uint8"}
DTYPES.update({name: name for name in list(DTYPES.values())})


# ---------------------------------------------------------------- plans and tasks

def evaluate(text, names):
    """An expression of the plan's grammar, or a tuple of them: Python has the same operators."""
    known = {"ceil_div": lambda a, b: -(-a // b), "min": min, "max": max, **names}
    value = eval(re.sub(r"(?<!/)/(?!/)", "//", text), known)
    return value if isinstance(value, tuple) else (value,)


def statements(source):
    """The plan's statements; one goes on while a bracket is open or after a comma."""
    plan = re.search(r"/\*\s*kernelpro\b(.*?)\*/", source, re.S)[1]
    lines, open_line = [], ""
    for line in re.sub(r"//.*", "", plan).splitlines():
        open_line += " " + line.strip()
        depth = sum(open_line.count(c) for c in "([") - sum(open_line.count(c) for c in ")]")
        if depth == 0 and not open_line.endswith(",") and open_line.strip():
            lines.append(open_line.strip())
            open_line = ""
    return lines


def split(text):
    """At the commas that stand in no bracket."""
    parts, depth, last = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(text[last:i].strip())
            last = i + 1
    return parts + [text[last:].strip()]


def read_folder(task):
    """Axes of the largest timed workload, tensors as (role, dtype, shape, fill), scalars as (dtype, value)."""
    definition = json.loads((task / "definition.json").read_text())
    workloads = [json.loads(line) for line in (task / "workload.jsonl").read_text().splitlines() if line]
    timed = [w for w in workloads if w.get("role", "time") == "time"]
    largest = max(timed, key=lambda w: math.prod(w["axes"].values()))
    axes = {n: a["value"] for n, a in definition["axes"].items() if a.get("type") == "const"}
    axes.update(largest["axes"])
    hints = definition["kernelpro"].get("tensors", {})
    tensors, scalars = {}, {}
    for role in ("inputs", "outputs"):
        for name, t in definition[role].items():
            if t["shape"] is None:
                scalars[name] = (DTYPES[t["dtype"]], largest["inputs"][name]["value"])
                continue
            shape = [axes[d] if isinstance(d, str) else d for d in t["shape"]]
            tensors[name] = (role[:-1], DTYPES[t["dtype"]], shape, hints.get(name, {}).get("distribution", ""))
    return axes, tensors, scalars


def read_file(task):
    """The same from the plan of a single file."""
    axes, tensors, scalars = {}, {}, {}
    for line in statements(task.read_text()):
        if line.startswith("axis"):
            for part in split(line[4:]):
                name, value = part.split("=")
                axes[name.strip()] = evaluate(value, axes)[0]
        array = re.match(r"(input|weight|inout|output)\s+(\w+)\s*:\s*(\w+)\s*\[(.*?)\]\s*(?:~\s*(.*))?$", line)
        scalar = re.match(r"input\s+(\w+)\s*:\s*(\w+)\s*=\s*(\S+)$", line)
        if array:
            role, name, dtype, shape, fill = array.groups()
            shape = [evaluate(d, axes)[0] for d in split(shape)]
            tensors[name] = (role, DTYPES[dtype], shape, fill or "")
        elif scalar:
            scalars[scalar[1]] = (DTYPES[scalar[2]], float(scalar[3]))
    return axes, tensors, scalars


# ---------------------------------------------------------------- arrays

def zeros(cupy, shape, dtype):
    return cupy.zeros(shape, dtype="uint16" if dtype == "bfloat16" else dtype)


def to_double(cupy, array, dtype):
    if dtype != "bfloat16":
        return array.astype(cupy.float64)
    return (array.astype(cupy.uint32) << 16).view(cupy.float32).astype(cupy.float64)


def drawn(random, dtype, shape, fill, axes):
    """Random values in a type that holds those of `dtype`."""
    if fill.startswith("int"):
        low, high = evaluate(fill[len("int"):], axes)
        return random.randint(low, high + 1, shape)
    if fill.startswith("uniform"):
        low, high = evaluate(fill[len("uniform"):], axes)
        return random.uniform(low, high, shape)
    if dtype in ("uint8", "int8"):
        return random.randint(0, 256, shape).astype("uint8").view(dtype)
    if "int" in dtype:
        return random.randint(0, 1001, shape)
    return random.standard_normal(shape, dtype="float32")


def read_task(task):
    return (read_folder if task.is_dir() else read_file)(task)


def make_arrays(cupy, axes, tensors):
    """By name: outputs zero, others random, the same in every run."""
    random = cupy.random.RandomState(1)
    arrays = {}
    for name, (role, dtype, shape, fill) in tensors.items():
        if role == "output":
            arrays[name] = zeros(cupy, shape, dtype)
            continue
        values = drawn(random, dtype, shape, fill, axes)
        if dtype == "bfloat16":
            arrays[name] = (values.astype(cupy.float32).view(cupy.uint32) >> 16).astype(cupy.uint16)
        else:
            arrays[name] = values.astype(dtype)
    return arrays


# ---------------------------------------------------------------- launches and times

def compile_cubin(source, cubin, *flags):
    subprocess.run(["nvcc", "-cubin", "-arch=sm_90", "-std=c++17", *flags, "-o", str(cubin), str(source)], check=True)


def parameter_types(source, kernel):
    """The types of a kernel's parameters, as they are written."""
    found = re.search(r"__global__[^(;{]*?(?:__launch_bounds__\s*\([^)]*\)\s*)?\b" + kernel + r"\s*\(([^)]*)\)", source)
    return [part.strip() for part in found[1].split(",")] if found else []


class Launch:
    """A launch statement, bound to a module, arrays and scalars; calling it launches."""

    def __init__(self, cupy, module, statement, axes, arrays, scalars, source=""):
        self.kernel, shape, names = re.match(r"launch\s+(\w+)\s*<<<(.*?)>>>\s*\((.*)\)", statement).groups()
        shape = split(shape)
        self.grid, self.block = evaluate(shape[0], axes), evaluate(shape[1], axes)
        self.shared = evaluate(shape[2], axes)[0] if len(shape) > 2 else 0
        self.function = module.get_function(self.kernel)
        if self.shared > 48 << 10:
            self.function.max_dynamic_shared_size_bytes = self.shared
        names = split(names)
        types = parameter_types(source, self.kernel) or [""] * len(names)
        self.arguments = tuple(argument(cupy, n, t, axes, arrays, scalars) for n, t in zip(names, types, strict=True))

    def __call__(self):
        self.function(self.grid, self.block, self.arguments, shared_mem=self.shared)


def argument(cupy, text, parameter, axes, arrays, scalars):
    if text in arrays:
        return arrays[text]
    if text in scalars:
        dtype, value = scalars[text]
        return getattr(cupy, dtype)(value)
    if re.match(r"-?[\d.]+([eE]-?\d+)?f?$", text) and "." in text:
        return (cupy.float64 if "double" in parameter else cupy.float32)(text.rstrip("f"))
    wide = re.search(r"long|size_t|int64", parameter)
    return (cupy.int64 if wide else cupy.int32)(evaluate(text, axes)[0])


class ColdCache:
    """Times launches behind a write of `size` bytes, many times the L2, and with `reads` a read of them."""

    def __init__(self, cupy, size, reads=False):
        self.cupy, self.reads = cupy, reads
        self.memory = cupy.zeros(size // 4, dtype=cupy.float32)

    def nanoseconds(self, launch):
        self.memory += 1
        if self.reads:
            self.memory.sum()
        start, stop = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        start.record()
        launch()
        stop.record()
        stop.synchronize()
        return 1e6 * self.cupy.cuda.get_elapsed_time(start, stop)


# ---------------------------------------------------------------- what was measured on

def cupy_with_device():
    """The module cupy; None without it or without a GPU."""
    try:
        import cupy
        cupy.cuda.runtime.getDeviceCount()
        return cupy
    except Exception:
        return None


def device_name():
    query = "--query-gpu=name,driver_version,clocks.sm,clocks.max.sm"
    return subprocess.run(["nvidia-smi", query, "--format=csv,noheader"], capture_output=True, text=True).stdout.strip()


def stamp(script, **more):
    date = subprocess.run(["date", "-u", "+%Y-%m-%dT%H:%M:%SZ"], capture_output=True, text=True).stdout.strip()
    return {"date": date, "command": " ".join([f"tools/{script}", *sys.argv[1:]]), **more}
