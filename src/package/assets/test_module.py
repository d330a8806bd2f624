# SPDX-License-Identifier: Apache-2.0
"""Regression test of @NAME@: the optimised kernels beside the original ones, on the shapes they were verified on and on
one that the guard refuses; beside the task's PyTorch reference where it has one. Exit status: 0 right, 1 wrong, 77 no
device."""
import inspect
import sys

import torch

import @NAME@ as op

try:
    import @NAME@_reference as reference
except ImportError:
    reference = None

# name, whether the optimised kernels serve it, axes, scalars, fills
CASES = [
@CASES@]
# share of the norm that may differ (both sides have an error of the class), whether the scale is the deviation, rounding
RULES = {@RULES@}


def drawn(shape, dtype, fill, generator):
    kind, low, high = fill
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    if kind == "normal":
        return torch.randn(shape, generator=generator, device="cuda", dtype=wide).to(dtype)
    if kind == "uniform":
        return (low + (high - low) * torch.rand(shape, generator=generator, device="cuda", dtype=wide)).to(dtype)
    return torch.randint(int(low), int(high) + 1, shape, generator=generator, device="cuda").to(dtype)


def agree(name, got, expected, against):
    share, zero_mean, rounding = RULES[name]
    if rounding == 0:
        same = bool((got == expected).all())
        print(f"  {name}: {'equal to' if same else 'DIFFERS from'} {against}")
        return same
    got, expected = got.double(), expected.double()
    if not torch.equal(got.isnan(), expected.isnan()):
        print(f"  {name}: NaN where {against} has none, or the reverse")
        return False
    got, expected = got.nan_to_num(), expected.nan_to_num()
    centred = expected - expected.mean() if zero_mean else expected
    scale = max(float(centred.norm()), 0.2 * float(expected.norm()))
    error, limit = float((got - expected).norm()), share * scale + 2 * rounding * float(expected.norm())
    print(f"  {name}: relative difference {error / max(scale, 1e-300):.2g} from {against}")
    return error <= limit


def from_reference(inputs, scalars, axes):
    """What the reference returns, by output; None where it asks for something else."""
    known = {**inputs, **scalars, **axes}
    names = list(inspect.signature(reference.run).parameters)
    if any(name not in known for name in names):
        print(f"  the reference takes {', '.join(names)}: not compared")
        return None
    result = reference.run(*(known[name] for name in names))
    results = result if isinstance(result, (tuple, list)) else [result]
    return dict(zip((n for n, (_, role) in op.ARRAYS.items() if role == "output"), results))


def passes(name, served, axes, scalars, fills):
    generator = torch.Generator(device="cuda").manual_seed(1)
    shapes = op.shapes_of(**axes)
    arrays = {n: drawn(shapes[n], getattr(torch, d), fills[n], generator) for n, (d, role) in op.ARRAYS.items() if role != "output"}

    def fresh():
        made = {n: a.clone() if op.ARRAYS[n][1] == "inout" else a for n, a in arrays.items()}
        for n, (dtype, role) in op.ARRAYS.items():
            if role == "output":
                made[n] = torch.full((torch.Size(shapes[n]).numel() * getattr(torch, dtype).itemsize,), 255, dtype=torch.uint8,
                                     device="cuda").view(getattr(torch, dtype)).reshape(shapes[n])
        return {n: made[n] for n in op.ARRAYS}

    ours, original = fresh(), fresh()
    if (op.version_for(ours, scalars, axes) == op.OPTIMIZED) != served:
        print(f"  the guard should {'accept' if served else 'refuse'} this shape")
        return False
    op.run(ours, scalars, axes)
    op.run(original, scalars, axes, op.ORIGINAL)
    torch.cuda.synchronize()
    good = all(agree(n, ours[n], original[n], "the original") for n in RULES)
    if reference is None or any(role == "inout" for _, role in op.ARRAYS.values()):
        return good
    inputs = {n: a for n, a in ours.items() if op.ARRAYS[n][1] != "output"}
    expected = from_reference(inputs, scalars, axes)
    return good and (expected is None or all(agree(n, ours[n], expected[n].reshape(ours[n].shape), "the reference") for n in expected))


def typed_call_works():
    """The function that users call, on the first case."""
    _, _, axes, scalars, fills = CASES[0]
    generator, shapes = torch.Generator(device="cuda").manual_seed(1), op.shapes_of(**axes)
    known = {n: drawn(shapes[n], getattr(torch, d), fills[n], generator) for n, (d, role) in op.ARRAYS.items() if role != "output"}
    known.update(scalars)
    known.update(axes)
    call = getattr(op, "@NAME@")
    call(*(known[n] for n in inspect.signature(call).parameters))
    torch.cuda.synchronize()
    return True


def main():
    if not torch.cuda.is_available():
        print("@NAME@: not run: no device")
        return 77
    torch.backends.cuda.matmul.allow_tf32 = False
    good = typed_call_works()
    for case in CASES:
        print(f"@NAME@: {case[0]}, {'optimised' if case[1] else 'original'} kernels")
        good = passes(*case) and good
    print(f"@NAME@: {'passed' if good else 'FAILED'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
