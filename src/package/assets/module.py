# SPDX-License-Identifier: Apache-2.0
@EVIDENCE@
"""@NAME@: @DESCRIPTION@

    import @NAME@
    y = @NAME@.@NAME@(@PARAMETERS@)

The first call compiles the CUDA sources beside this file with PyTorch's own build (a minute at most, kept by PyTorch).
The optimised kernels serve what they were verified on (@SERVED@); other sizes and unaligned arrays get the original
kernels. Tensors that no kernel serves (on the CPU, of another type, not contiguous, of sizes that do not fit together)
raise ValueError, unless `eager` is set to a function of the same arguments:

    @NAME@.eager = @EAGER@
"""
import ctypes
import pathlib

import torch
from torch.utils import cpp_extension

eager = None  # called with the same arguments where no kernel serves

AXES = (@AXES@)
# name: dtype, role
ARRAYS = {
@ARRAYS@}
SCALARS = (@SCALARS@)
OPTIMIZED, ORIGINAL = 0, 1
_FOLDER = pathlib.Path(__file__).resolve().parent
_library = None


def ceil_div(a, b):
    return -(-a // b)


def _load():
    global _library
    if _library is None:
        flags = ["-O3", "-std=c++17"@ARCHITECTURE@]
        # PyTorch turns these off, and kernels may rely on them.
        flags += [f"-U__CUDA_NO_{what}__" for what in ("HALF_OPERATORS", "HALF_CONVERSIONS", "HALF2_OPERATORS",
                                                       "BFLOAT16_CONVERSIONS")]
        sources = [str(_FOLDER / f"@NAME@{part}") for part in (".cu", "_optimized.cu", "_original.cu", "_binding.cu")]
        path = cpp_extension.load(name="kernelpro_@NAME@", sources=sources, extra_cuda_cflags=flags, is_python_module=False)
        if not path:  # older PyTorch does not say where it built
            path = pathlib.Path(cpp_extension._get_build_directory("kernelpro_@NAME@", False)) / "kernelpro_@NAME@.so"
        _library = ctypes.CDLL(str(path))
        _library.kernelpro_workspace_bytes.restype = ctypes.c_int64
        _library.kernelpro_error.restype = ctypes.c_char_p
    return _library


def shapes_of(@AXES_BARE@):
    """The shape of every array."""
@COMPUTED@    return {@SHAPES@}


def _problem(tensors, shapes):
    """Why no kernel serves these, or None."""
    device = None
    for name, tensor in tensors.items():
        dtype = ARRAYS[name][0]
        if not isinstance(tensor, torch.Tensor) or not tensor.is_cuda:
            return f"{name} is no CUDA tensor"
        if tensor.dtype != getattr(torch, dtype):
            return f"{name} is {tensor.dtype}, not torch.{dtype}"
        if not tensor.is_contiguous():
            return f"{name} is not contiguous"
        if device is not None and tensor.device != device:
            return f"{name} is on {tensor.device}, not {device}"
        if tuple(tensor.shape) != tuple(shapes[name]):
            return f"{name} has shape {tuple(tensor.shape)}, not {tuple(shapes[name])}"
        device = tensor.device
    return None


def _packed(arrays, scalars, axes):
    return ((ctypes.c_void_p * len(ARRAYS))(*(arrays[name].data_ptr() for name in ARRAYS)),
            (ctypes.c_double * max(len(SCALARS), 1))(*(float(scalars[name]) for name in SCALARS)),
            (ctypes.c_int64 * max(len(AXES), 1))(*(axes[name] for name in AXES)))


def _check(status):
    if status != 0:
        raise RuntimeError("@NAME@: " + _load().kernelpro_error(status).decode())


def run(arrays, scalars, axes, version=None):
    """Launches on tensors that are there, outputs too; `version` None: as the guard says."""
    library, packed = _load(), _packed(arrays, scalars, axes)
    device = next(iter(arrays.values())).device
    with torch.cuda.device(device):
        size = library.kernelpro_workspace_bytes(packed[2])
        if size < 0:
            raise ValueError(f"@NAME@: these are no sizes: {axes}")
        workspace = torch.empty(max(size, 1), dtype=torch.uint8, device=device)
        stream = ctypes.c_void_p(torch.cuda.current_stream(device).cuda_stream)
        memory = ctypes.c_void_p(workspace.data_ptr())
        if @PREPARES@:  # what follows from weights alone
            _check(library.kernelpro_prepare(*packed, memory, stream))
        _check(library.kernelpro_launch(-1 if version is None else version, *packed, memory, stream))


def version_for(arrays, scalars, axes):
    """OPTIMIZED or ORIGINAL."""
    return _load().kernelpro_version_for(*_packed(arrays, scalars, axes))


def @NAME@(@PARAMETERS@):
    tensors = {@TENSORS@}
    try:
@BIND@        axes = {@AXIS_VALUES@}
        shapes = shapes_of(**axes)
        problem = _problem(tensors, shapes)
    except (AttributeError, IndexError) as error:
        problem = str(error)
    if problem:
        if eager is not None:
            return eager(@CALL@)
        raise ValueError(f"@NAME@: {problem}")
    device = @DEVICE@
    outputs = {name: torch.empty(shapes[name], dtype=getattr(torch, dtype), device=device)
               for name, (dtype, role) in ARRAYS.items() if role == "output"}
    run({**tensors, **outputs}, {@SCALAR_VALUES@}, axes)
    return @RESULT@
