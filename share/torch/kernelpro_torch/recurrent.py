# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks without values. Followed step by step they take thousands of operations; their
shapes and their work are known at once."""
import torch
from torch.overrides import TorchFunctionMode

# Elementwise operations for each element of the hidden state, as PyTorch's own cells do them: gates
# are added, then squashed, then mixed.
CELLS = {"lstm": 13, "gru": 10, "rnn_tanh": 2, "rnn_relu": 2}


class Recurrences(TorchFunctionMode):
    """`count` hears of each; it may be None."""

    def __init__(self, count):
        super().__init__()
        self.count = count

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "")
        if name in CELLS and is_whole(args) and is_meta(args[0]):
            return self.follow(name, *args)
        return function(*args, **(kwargs or {}))

    def follow(self, name, values, state, weights, biases, layers, dropout, train, both, batch_first):
        states = state if isinstance(state, (tuple, list)) else (state,)
        ways, steps = 2 if both else 1, values.shape[:-1].numel()
        if self.count is not None:
            matrices = sum(weight.numel() for weight in weights if weight.dim() == 2)
            cells = steps * states[-1].shape[-1] * layers * ways
            self.count.add(2 * steps * matrices, CELLS[name] * cells)
        output = values.new_empty((*values.shape[:-1], states[0].shape[-1] * ways))
        return (output, *(values.new_empty(one.shape) for one in states))


def is_whole(args):
    """Not the form for packed sequences, where weights stand in the fourth place."""
    return len(args) == 9 and isinstance(args[3], bool)


def is_meta(value):
    return isinstance(value, torch.Tensor) and value.device.type == "meta"
