# SPDX-License-Identifier: Apache-2.0
"""What PyTorch offers for the shipped tasks at the same precision class, eager and compiled."""


def operations(torch):
    """By task: a function of the task's tensors by name. Each computes what the task asks for."""
    functional = torch.nn.functional

    def smooth(image):
        weights = torch.tensor([[1.0, 2, 1], [2, 4, 2], [1, 2, 1]], device=image.device)[None, None] / 16
        return functional.conv2d(functional.pad(image[None, None], (1, 1, 1, 1), mode="replicate"), weights)[0, 0]

    def stencil(u, rate):
        next_u, c = u.clone(), u[2:-2, 2:-2]
        near = u[2:-2, 1:-3] + u[2:-2, 3:-1] + u[1:-3, 2:-2] + u[3:-1, 2:-2]
        far = u[2:-2, :-4] + u[2:-2, 4:] + u[:-4, 2:-2] + u[4:, 2:-2]
        next_u[2:-2, 2:-2] = c + rate * (16 * near - far - 60 * c) / 12
        return next_u

    def attention(q, k, v):
        return functional.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None], is_causal=True)[0, 0]

    def dequant(q, scale, zero_point):
        return ((q.float() - zero_point.float()[:, None]) * scale[:, None]).half()

    def maxsim(query, documents):
        return torch.einsum("qd,btd->bqt", query, documents).amax(2).float().sum(1)

    return {"attention": attention, "dequant": dequant, "maxsim": maxsim, "smooth": smooth, "stencil": stencil,
            "histogram": lambda x: torch.bincount(x, minlength=256), "matmul_f16": lambda a, b: a @ b,
            "matmul_f32": lambda a, b: a @ b, "rmsnorm": lambda x, weight, eps: functional.rms_norm(x, x.shape[-1:], weight, eps),
            "scan": lambda x: torch.cumsum(x, 0), "softmax": lambda x: torch.softmax(x, 1), "sum": lambda x: x.sum(),
            "swish": lambda x: functional.silu(x), "transpose": lambda x: x.t().contiguous()}


def tensors_of(torch, cupy, arrays, tensors, scalars):
    """The task's inputs as PyTorch sees them, by name."""
    def seen(name):
        tensor = torch.from_dlpack(arrays[name])
        return tensor.view(torch.bfloat16) if tensors[name][1] == "bfloat16" else tensor
    inputs = {name: seen(name) for name, tensor in tensors.items() if tensor[0] != "output"}
    return {**inputs, **{name: value for name, (_, value) in scalars.items()}}


def microseconds(torch, operation, inputs, runs=25):
    """Median time on the GPU with a cold L2; launches queue up behind the flush, so that the host's time does not count."""
    flush = torch.empty(1 << 28, dtype=torch.float32, device="cuda")
    times = []
    for run in range(runs + 5):
        flush.add_(1.0)
        flush.sum()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        operation(**inputs)
        end.record()
        end.synchronize()
        times.append(1e3 * begin.elapsed_time(end))
    return sorted(times[5:])[runs // 2]


def times(torch, cupy, name, arrays, tensors, scalars):
    """{"eager": us, "compiled": us}; an entry is None where PyTorch refuses."""
    operation = operations(torch).get(name)
    if operation is None:
        return {"eager": None, "compiled": None}
    inputs, result = tensors_of(torch, cupy, arrays, tensors, scalars), {}
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    for kind, make in (("eager", lambda f: f), ("compiled", torch.compile)):
        try:
            result[kind] = microseconds(torch, make(operation), inputs)
        except Exception as problem:
            result[kind] = None
            result[kind + "_problem"] = str(problem)[:200]
    return result
