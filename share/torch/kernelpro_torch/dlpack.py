# SPDX-License-Identifier: Apache-2.0
"""Tensors over memory that PyTorch did not make, by DLPack: neither a copy nor NumPy is needed, and
PyTorch does not ask the driver whose memory it is."""
import ctypes

import torch
from torch.utils import dlpack

from kernelpro_torch.failures import unsupported

# Numbers of <dlpack/dlpack.h>.
CPU, CUDA = 1, 2
SIGNED, UNSIGNED, FLOAT = 0, 1, 2
TYPES = {"float64": (FLOAT, 64), "int64": (SIGNED, 64), "int32": (SIGNED, 32), "int16": (SIGNED, 16),
         "int8": (SIGNED, 8), "uint8": (UNSIGNED, 8), "bool": (UNSIGNED, 8)}

NAME = b"dltensor"  # of the capsule, which keeps the pointer


class Tensor(ctypes.Structure):
    """DLTensor"""
    _fields_ = [("data", ctypes.c_void_p), ("device_kind", ctypes.c_int32),
                ("device_number", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("type_kind", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_uint64)]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    """DLManagedTensor"""
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


capsule = ctypes.pythonapi.PyCapsule_New
capsule.restype = ctypes.py_object
capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)

living = {}  # by address: what PyTorch reads once more when it lets go of a tensor


@DELETER
def forget(address):
    living.pop(address, None)


def tensor(address, dtype, count, device):
    """Of rank 1, over memory that must outlive every use of it."""
    if dtype not in TYPES:
        raise unsupported(f"arrays of {dtype} are not shared")
    kind, bits = TYPES[dtype]
    one = ctypes.c_int64 * 1
    kept = (one(count), one(1))
    managed = Managed(Tensor(address, CUDA if device.type == "cuda" else CPU, device.index or 0, 1,
                             kind, bits, 1, kept[0], kept[1], 0), None, forget)
    place = ctypes.addressof(managed)
    living[place] = (managed, *kept)
    made = dlpack.from_dlpack(capsule(place, NAME, None))
    return made.view(torch.bool) if dtype == "bool" else made
