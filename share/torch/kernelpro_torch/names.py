# SPDX-License-Identifier: Apache-2.0
"""What crosses a problem's boundary, and how it is called: C identifiers, each once."""
import re

import torch

from kernelpro_torch.failures import unsupported

RESERVED = set("""
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t
class compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield
decltype default delete do double dynamic_cast else enum explicit export extern false float for friend
goto half if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
protected public register reinterpret_cast requires restrict return short signed sizeof static
static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename
union unsigned using virtual void volatile wchar_t while xor xor_eq
blockDim blockIdx gridDim threadIdx warpSize main
""".split())


class Names:
    def __init__(self, taken=()):
        self.taken = set(taken)

    def copy(self):
        return Names(self.taken)

    def unique(self, wanted):
        name = re.sub(r"[^A-Za-z0-9]+", "_", wanted).strip("_") or "tensor"
        name = f"t{name}" if name[0].isdigit() else f"{name}_" if name in RESERVED else name
        base, count = name, 2
        while name in self.taken:
            name, count = f"{base}_{count}", count + 1
        self.taken.add(name)
        return name


class Place:
    """Where a weight stands: parameter, buffer or plain attribute `key` of `module`."""

    def __init__(self, module, key):
        self.module, self.key = module, key

    def is_buffer(self):
        return self.key in self.module._buffers

    def get(self):
        return getattr(self.module, self.key)

    def put(self, value):
        """A new tensor in the place of the old one. Modules hear of it: a recurrent one keeps a list
        of its weights."""
        if isinstance(self.get(), torch.nn.Parameter):
            value = torch.nn.Parameter(value, requires_grad=False)
        setattr(self.module, self.key, value)


def weights(model):
    """(dotted key, Place) of all tensors that a model holds, in the order of its state_dict, then
    what that leaves out: buffers that are not saved, and tensors that are plain attributes."""
    seen, last = set(), []
    for prefix, module in model.named_modules() if model is not None else []:
        saved = [*module._parameters, *(k for k in module._buffers
                                        if k not in module._non_persistent_buffers_set)]
        others = [*module._non_persistent_buffers_set,
                  *(k for k, v in vars(module).items() if isinstance(v, torch.Tensor))]
        for keys, found in ((saved, None), (others, last)):
            for key in keys:
                tensor = getattr(module, key)
                if tensor is None or id(tensor) in seen:
                    continue
                seen.add(id(tensor))
                pair = (f"{prefix}.{key}" if prefix else key, Place(module, key))
                if found is None:
                    yield pair
                else:
                    found.append(pair)
    yield from last


def flat(made):
    """The tensors of a tensor, or of tuples, lists and dicts of them; None is left out."""
    if isinstance(made, torch.Tensor):
        if made.is_complex():
            raise unsupported("its output is complex")
        yield made
    elif isinstance(made, (tuple, list)):
        for part in made:
            yield from flat(part)
    elif isinstance(made, dict):
        for part in made.values():
            yield from flat(part)
    elif made is not None:
        raise unsupported(f"an output is no tensor, but {type(made).__name__}")
