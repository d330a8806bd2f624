# SPDX-License-Identifier: Apache-2.0
"""Floating-point operations of a run, counted as the operations pass by."""
import math

from kernelpro_torch.placing import tensors

# What moves or makes values without computing: neither views, which are told by their schema.
MOVES = set("""
_copy_from _reshape_alias _to_copy _unsafe_view arange as_strided_copy cat clone constant_pad_nd contiguous
copy_ detach detach_ embedding empty empty_like empty_strided expand_copy eye fill fill_ flip full full_like
gather index index_copy index_copy_ index_put index_put_ index_select lift lift_fresh linspace masked_select
new_empty new_empty_strided new_full new_ones new_zeros ones ones_like pad permute_copy pixel_shuffle
pixel_unshuffle rand rand_like randint randint_like randn randn_like randperm reflection_pad1d
reflection_pad2d reflection_pad3d repeat repeat_interleave replication_pad1d replication_pad2d
replication_pad3d resize_ roll scalar_tensor scatter scatter_ select_scatter set_ slice_scatter stack
take take_along_dim tril tril_indices triu triu_indices unbind_copy uniform_ unsafe_chunk unsafe_split
unsafe_split_with_sizes split_copy split_with_sizes_copy normal_ unfold_copy zero_ zeros zeros_like
channel_shuffle native_channel_shuffle upsample_nearest1d upsample_nearest2d upsample_nearest3d
""".split())


class Count:
    def __init__(self):
        self.contraction = self.other = 0
        self.on = False  # inputs and weights are made before the run

    def add(self, contraction, other):
        if self.on:
            self.contraction += contraction
            self.other += other

    def see(self, operation, args, made):
        name = operation._schema.name.split("::")[-1]
        if name in CONTRACTIONS:
            self.add(CONTRACTIONS[name](args, made), 0)
        elif name.startswith("_scaled_dot_product"):
            self.add(attention(args, made), 0)
        elif name not in MOVES and not is_view(operation):
            sizes = [t.numel() for t in tensors([args, made]) if t.is_floating_point()]
            self.add(0, max(sizes, default=0))

    def totals(self):
        return {"contraction_flops": float(self.contraction), "other_flops": float(self.other)}


def is_view(operation):
    returned = operation._schema.returns[:1]
    info = returned[0].alias_info if returned else None
    return info is not None and not info.is_write


def product(left, made):
    """Each element of the result is a sum over the last extent of `left`."""
    return 2 * made.numel() * left.shape[-1]


def convolution(args, made):
    values, weight = args[0], args[1]
    transposed = bool(args[6]) if len(args) > 6 else False
    return 2 * (values if transposed else made).numel() * math.prod(weight.shape[1:])


def attention(args, made):
    query, key, value = args[:3]
    rows = math.prod(query.shape[:-1])
    return 2 * rows * key.shape[-2] * (query.shape[-1] + value.shape[-1])


CONTRACTIONS = {
    "mm": lambda args, made: product(args[0], made),
    "bmm": lambda args, made: product(args[0], made),
    "mv": lambda args, made: product(args[0], made),
    "dot": lambda args, made: product(args[0], made),
    "vdot": lambda args, made: product(args[0], made),
    "linear": lambda args, made: product(args[0], made),
    "addmm": lambda args, made: product(args[1], made),
    "addmv": lambda args, made: product(args[1], made),
    "addbmm": lambda args, made: 2 * args[1].numel() * args[2].shape[-1],
    "baddbmm": lambda args, made: product(args[1], made),
    "convolution": convolution,
    "_convolution": convolution,
    "convolution_overrideable": convolution,
}
