// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1 without a GPU, for tests of the judge and its processes: the functions of the driver
// that kernelpro-gpu calls. "Device" memory is shared host memory at the same addresses, "binaries"
// are text, and everything is done at once.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <sstream>

#include "fake_state.h"

using fake::Kernel;
using fake::Module;
using fake::Physical;
using fake::state;

namespace {

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

CUresult mapped(void* result, void* wanted) {
  return result == wanted ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

Physical* physical(CUmemGenericAllocationHandle handle) {
  return reinterpret_cast<Physical*>(handle);
}

int attribute(CUdevice_attribute which) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return 9;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return fake::kSmCount;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return 1 << 20;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return 232448;
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
      return 1;
    default:
      return 0;
  }
}

Module* read_module(const char* text) {
  auto* module = new Module;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    Kernel kernel;
    words >> kind >> kernel.name >> kernel.behaviour >> kernel.number;
    if (kind == "kernel") module->kernels.push_back(kernel);
  }
  return module;
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) { return *version = 13000, CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult code, const char** name) {
  *name = code == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** text) { return *text = "", CUDA_SUCCESS; }
CUresult cuDeviceGetCount(int* count) { return *count = 1, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice* device, int number) {
  *device = number;
  return number == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char* name, int bytes, CUdevice) {
  std::strncpy(name, "NVIDIA H200", static_cast<std::size_t>(bytes));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice) {
  return std::memset(uuid, 7, sizeof *uuid), CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  return *value = attribute(which), CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  return *bytes = fake::kMemoryBytes, CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  return *context = reinterpret_cast<CUcontext>(1), CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice, unsigned) { return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSynchronize() { return state().sticky; }
CUresult cuCtxSetLimit(CUlimit, std::size_t) { return CUDA_SUCCESS; }
CUresult cuCtxResetPersistingL2Cache() { return state().sticky; }

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  return *stream = reinterpret_cast<CUstream>(++state().streams), CUDA_SUCCESS;
}
/// The first stream is the one of candidates; on any other one, SMs are taken.
CUresult cuStreamSynchronize(CUstream stream) {
  if (stream != reinterpret_cast<CUstream>(1)) state().occupied = false;
  return state().sticky;
}
CUresult cuStreamWriteValue32(CUstream, CUdeviceptr address, cuuint32_t value, unsigned) {
  if (state().sticky == CUDA_SUCCESS) *static_cast<cuuint32_t*>(pointer(address)) = value;
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  return *event = reinterpret_cast<CUevent>(new double(0)), CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream) {
  return *reinterpret_cast<double*>(event) = state().seconds, CUDA_SUCCESS;
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  *milliseconds = static_cast<float>(
      1e3 * (*reinterpret_cast<double*>(end) - *reinterpret_cast<double*>(start)));
  return state().sticky;
}

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = fake::kMemoryBytes;
  *free = fake::kMemoryBytes - state().created_bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *address = reinterpret_cast<CUdeviceptr>(memory);
  return memory != MAP_FAILED ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
CUresult cuMemFree(CUdeviceptr) { return CUDA_SUCCESS; }
CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return *memory = std::calloc(1, bytes), CUDA_SUCCESS;
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory, unsigned) {
  return *address = reinterpret_cast<CUdeviceptr>(memory), CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  return std::memcpy(pointer(to), from, bytes), state().sticky;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  return std::memcpy(to, pointer(from), bytes), state().sticky;
}
/// Takes its time, and no memory of the machine: what a probe copies is never looked at.
CUresult cuMemcpyDtoDAsync(CUdeviceptr, CUdeviceptr, std::size_t bytes, CUstream) {
  const double slower = fake::is_told("slow") ? 3 : 1;
  state().seconds += slower * static_cast<double>(bytes) * fake::kCopySeconds;
  return state().sticky;
}
CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, std::size_t bytes, CUstream) {
  return std::memset(pointer(address), value, bytes), state().sticky;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp*, unsigned long long) {
  if (bytes > fake::kMemoryBytes - state().created_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  auto* made = new Physical{::memfd_create("fake-gpu", MFD_CLOEXEC), bytes};
  if (made->file < 0 || ::ftruncate(made->file, static_cast<off_t>(bytes)) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  state().created_bytes += bytes;
  return *handle = reinterpret_cast<CUmemGenericAllocationHandle>(made), CUDA_SUCCESS;
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  ::close(physical(handle)->file);
  state().created_bytes -= physical(handle)->bytes;
  delete physical(handle);
  return CUDA_SUCCESS;
}
CUresult cuMemExportToShareableHandle(void* number, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType, unsigned long long) {
  *static_cast<int*>(number) = ::fcntl(physical(handle)->file, F_DUPFD_CLOEXEC, 10);
  return CUDA_SUCCESS;
}
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* number,
                                        CUmemAllocationHandleType) {
  const int file = static_cast<int>(reinterpret_cast<std::intptr_t>(number));
  auto* made = new Physical{::fcntl(file, F_DUPFD_CLOEXEC, 10), 0};
  return *handle = reinterpret_cast<CUmemGenericAllocationHandle>(made), CUDA_SUCCESS;
}
CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t,
                             CUdeviceptr wanted, unsigned long long) {
  const int place = wanted == 0 ? 0 : MAP_FIXED_NOREPLACE;
  void* got = ::mmap(pointer(wanted), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | place, -1, 0);
  *address = wanted == 0 ? reinterpret_cast<CUdeviceptr>(got) : wanted;
  return mapped(got, pointer(*address));
}
CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  return ::munmap(pointer(address), bytes) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t,
                  CUmemGenericAllocationHandle handle, unsigned long long) {
  void* got = ::mmap(pointer(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                     physical(handle)->file, 0);
  return mapped(got, pointer(address));
}
CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  void* got =
      ::mmap(pointer(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  return mapped(got, pointer(address));
}
CUresult cuMemSetAccess(CUdeviceptr, std::size_t, const CUmemAccessDesc*, std::size_t) {
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  const auto* text = static_cast<const char*>(image);
  if (std::strncmp(text, "fake binary", 11) != 0) return CUDA_ERROR_INVALID_IMAGE;
  return *module = reinterpret_cast<CUmodule>(read_module(text)), CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  for (Kernel& kernel : reinterpret_cast<Module*>(module)->kernels) {
    if (kernel.name == name) return *function = reinterpret_cast<CUfunction>(&kernel), CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  return *value = 0, CUDA_SUCCESS;
}
/// Errors of kernels are seen when somebody waits for them.
CUresult cuLaunchKernelEx(const CUlaunchConfig* shape, CUfunction function, void** parameters,
                          void** extra) {
  if (state().sticky != CUDA_SUCCESS) return CUDA_SUCCESS;
  return fake::execute(*reinterpret_cast<Kernel*>(function), *shape, parameters, extra);
}
CUresult cuTensorMapEncodeTiled(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*,
                                const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                                const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  return CUDA_SUCCESS;
}

}  // extern "C"
