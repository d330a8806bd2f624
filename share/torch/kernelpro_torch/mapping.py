# SPDX-License-Identifier: Apache-2.0
"""Memory of a GPU that another process has made, mapped here by the driver (CUDA's virtual memory
management). It is shared by a descriptor, which stays its giver's."""
import contextlib
import ctypes

from kernelpro_torch.failures import Failure

# Numbers of <cuda.h>.
OUT_OF_MEMORY = 2
POSIX_FILE_DESCRIPTOR = 1
DEVICE = 1  # of locations
READ_WRITE = 3

ADDRESS, SIZE, FLAGS = ctypes.c_uint64, ctypes.c_size_t, ctypes.c_ulonglong
HANDLE = ctypes.c_uint64


class Access(ctypes.Structure):
    """CUmemAccessDesc"""
    _fields_ = [("location_kind", ctypes.c_int), ("location_number", ctypes.c_int),
                ("flags", ctypes.c_int)]


FUNCTIONS = {
    "cuMemImportFromShareableHandle": (ctypes.POINTER(HANDLE), ctypes.c_void_p, ctypes.c_int),
    "cuMemRelease": (HANDLE,),
    "cuMemAddressReserve": (ctypes.POINTER(ADDRESS), SIZE, SIZE, ADDRESS, FLAGS),
    "cuMemAddressFree": (ADDRESS, SIZE),
    "cuMemMap": (ADDRESS, SIZE, SIZE, HANDLE, FLAGS),
    "cuMemUnmap": (ADDRESS, SIZE),
    "cuMemSetAccess": (ADDRESS, SIZE, ctypes.POINTER(Access), SIZE),
}


class Driver:
    def __init__(self, library="libcuda.so.1"):
        try:
            self.library = ctypes.CDLL(library)
            for name, arguments in FUNCTIONS.items():
                getattr(self.library, name).argtypes = arguments
        except (OSError, AttributeError) as error:
            raise Failure("unavailable", f"no CUDA driver that shares memory: {error}") from error

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code == OUT_OF_MEMORY:
            raise Failure("memory", f"{name}: out of memory", "use smaller sizes")
        if code != 0:
            raise Failure("failed", f"{name} failed with CUDA error {code}")

    @contextlib.contextmanager
    def mapped(self, descriptor, size, gpu):
        """The address where the memory lies on the GPU with this number; what runs there must have
        ended when the context does."""
        with contextlib.ExitStack() as undo:
            handle, address = HANDLE(), ADDRESS()
            self.call("cuMemImportFromShareableHandle", ctypes.byref(handle), descriptor,
                      POSIX_FILE_DESCRIPTOR)
            undo.callback(self.library.cuMemRelease, handle)
            self.call("cuMemAddressReserve", ctypes.byref(address), size, 0, 0, 0)
            undo.callback(self.library.cuMemAddressFree, address, size)
            self.call("cuMemMap", address, size, 0, handle, 0)
            undo.callback(self.library.cuMemUnmap, address, size)
            access = Access(DEVICE, gpu, READ_WRITE)
            self.call("cuMemSetAccess", address, size, ctypes.byref(access), 1)
            yield address.value
