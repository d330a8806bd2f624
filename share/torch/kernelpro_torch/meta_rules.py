# SPDX-License-Identifier: Apache-2.0
"""Shapes of operations that some version of PyTorch cannot follow without values."""
import torch


def pooled(size, kernel, stride, padding, dilation, ceil):
    """One extent of a pooling's result."""
    reach = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (reach + (stride - 1 if ceil else 0)) // stride + 1
    # With ceil, a window that would start in the padding behind the end is left out.
    return count - 1 if ceil and (count - 1) * stride >= size + padding else count


def three(values, otherwise=None):
    values = list(values) or list(otherwise)
    return values * 3 if len(values) == 1 else values


def max_pool3d(values, kernel, stride=(), padding=(0,), dilation=(1,), ceil=False):
    kernel = three(kernel)
    sizes = zip(values.shape[-3:], kernel, three(stride, kernel), three(padding), three(dilation))
    shape = [*values.shape[:-3], *(pooled(*each, ceil) for each in sizes)]
    if min(shape[-3:]) < 1:
        raise RuntimeError(f"given input size {list(values.shape)}, the output size is too small")
    return values.new_empty(shape), values.new_empty(shape, dtype=torch.int64)


RULES = {"aten::max_pool3d_with_indices": max_pool3d}
