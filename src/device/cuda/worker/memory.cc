// SPDX-License-Identifier: Apache-2.0
// Device memory at the addresses that the judge chooses.
#include <fmt/format.h>

#include <iterator>

#include "base/text.h"
#include "device/cuda/members.h"
#include "device/cuda/worker/verbs.h"

namespace kp::device::cuda {
namespace {

struct Range {
  std::uint64_t address = 0, bytes = 0;
};

Faulty<Range> range_from(const nlohmann::json& request) {
  Range range;
  KP_OR_FAULT(range.address, or_fault(number_member<std::uint64_t>(request, "address")));
  KP_OR_FAULT(range.bytes, or_fault(number_member<std::uint64_t>(request, "bytes")));
  if (range.bytes == 0 || range.bytes > ~range.address)
    return refusal(CUDA_ERROR_INVALID_VALUE, "a range of memory that cannot be");
  return range;
}

/// Of whole pages: nothing else can be mapped.
Faulty<Range> pages_from(const nlohmann::json& request) {
  KP_OR_FAULT(Range range, range_from(request));
  if (range.address % kPageBytes != 0 || range.bytes % kPageBytes != 0)
    return refusal(CUDA_ERROR_INVALID_VALUE, "memory is mapped in whole pages of 2 MiB");
  if (range.address < kFirstAddress || range.address - kFirstAddress > kAddressBytes ||
      range.bytes > kFirstAddress + kAddressBytes - range.address)
    return refusal(CUDA_ERROR_INVALID_VALUE, "memory is mapped in the judge's range only");
  return range;
}

CUmemAllocationProp properties(const Executor& executor) {
  CUmemAllocationProp prop{};
  prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, executor.gpu};
  return prop;
}

/// "8 GB asked, 3.1 GB of 141 GB free": the driver says only that memory is short.
std::string shortage(const Executor& executor, std::uint64_t bytes) {
  std::size_t free = 0, total = 0;
  executor.driver.cuMemGetInfo(&free, &total);
  return fmt::format("CUDA_ERROR_OUT_OF_MEMORY: {} of device memory asked, {} of {} free",
                     format_bytes(static_cast<double>(bytes)),
                     format_bytes(static_cast<double>(free)),
                     format_bytes(static_cast<double>(total)));
}

Faulty<void> map_reserved(const Executor& executor, const Range& range,
                          CUmemGenericAllocationHandle handle) {
  KP_CALL(executor.driver, cuMemMap, range.address, range.bytes, 0, handle, 0);
  const CUmemAccessDesc access{.location = {CU_MEM_LOCATION_TYPE_DEVICE, executor.gpu},
                               .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  const CUresult code = executor.driver.cuMemSetAccess(range.address, range.bytes, &access, 1);
  if (code == CUDA_SUCCESS) return {};
  executor.driver.cuMemUnmap(range.address, range.bytes);
  return fault_of(executor.driver, code, "cuMemSetAccess");
}

bool overlaps(const Executor& executor, const Range& range) {
  const auto next = executor.mappings.lower_bound(range.address + range.bytes);
  if (next == executor.mappings.begin()) return false;
  const auto& [address, mapping] = *std::prev(next);
  return address + mapping.bytes > range.address;
}

/// Takes `handle`, also when it fails.
Faulty<void> map_handle(Executor& executor, const Range& range,
                        CUmemGenericAllocationHandle handle) {
  Faulty<void> mapped =
      overlaps(executor, range)
          ? refusal(CUDA_ERROR_INVALID_VALUE, "memory is mapped at these addresses already")
          : map_reserved(executor, range, handle);
  if (mapped) {
    executor.mappings[range.address] = {handle, range.bytes};
  } else {
    executor.driver.cuMemRelease(handle);
  }
  return mapped;
}

Faulty<CUmemGenericAllocationHandle> create(const Executor& executor, std::uint64_t bytes) {
  const CUmemAllocationProp prop = properties(executor);
  CUmemGenericAllocationHandle handle = 0;
  const CUresult code = executor.driver.cuMemCreate(&handle, bytes, &prop, 0);
  if (code == CUDA_SUCCESS) return handle;
  if (code == CUDA_ERROR_OUT_OF_MEMORY) return refusal(code, shortage(executor, bytes));
  return fault_of(executor.driver, code, "cuMemCreate");
}

void release(Executor& executor, std::map<std::uint64_t, Mapping>::iterator found) {
  executor.driver.cuMemUnmap(found->first, found->second.bytes);
  executor.driver.cuMemRelease(found->second.handle);
  executor.mappings.erase(found);
}

struct Transfer {
  CUdeviceptr address = 0;
  std::span<std::byte> staged;
};

Faulty<Transfer> transfer_from(const Executor& executor, const nlohmann::json& request) {
  KP_OR_FAULT(const Range range, range_from(request));
  KP_OR_FAULT(const auto offset, or_fault(number_member<std::uint64_t>(request, "offset")));
  const std::uint64_t room = executor.staging.size();
  if (offset > room || range.bytes > room - offset)
    return refusal(CUDA_ERROR_INVALID_VALUE, "a range beyond the staging memory");
  return Transfer{range.address, executor.staging.subspan(offset, range.bytes)};
}

}  // namespace

Faulty<void> reserve_addresses(const Driver& driver) {
  CUdeviceptr got = 0;
  KP_CALL(driver, cuMemAddressReserve, &got, kAddressBytes, kPageBytes, kFirstAddress, 0);
  if (got == kFirstAddress) return {};
  driver.cuMemAddressFree(got, kAddressBytes);
  return refusal(CUDA_ERROR_NOT_SUPPORTED,
                 fmt::format("the driver does not give the addresses from {:#x} on, where arrays "
                             "are to lie; it offers {:#x}",
                             kFirstAddress, got));
}

Answer allocate(Executor& executor, const Frame& request) {
  KP_OR_FAULT(const Range range, pages_from(request.body));
  KP_OR_FAULT(const CUmemGenericAllocationHandle handle, create(executor, range.bytes));
  KP_OR_FAULT_VOID(map_handle(executor, range, handle));
  int exported = -1;
  const CUresult code = executor.driver.cuMemExportToShareableHandle(
      &exported, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  if (code != CUDA_SUCCESS) {
    release(executor, executor.mappings.find(range.address));
    return fault_of(executor.driver, code, "cuMemExportToShareableHandle");
  }
  Frame answer;
  answer.descriptors.emplace_back(exported);
  return answer;
}

Answer map(Executor& executor, const Frame& request) {
  KP_OR_FAULT(const Range range, pages_from(request.body));
  if (request.descriptors.size() != 1)
    return refusal(CUDA_ERROR_INVALID_VALUE, "`map` takes one descriptor");
  CUmemGenericAllocationHandle handle = 0;
  // The driver takes the descriptor's number in the place of a pointer.
  const auto number = static_cast<std::uintptr_t>(request.descriptors[0].number());
  KP_CALL(executor.driver, cuMemImportFromShareableHandle, &handle, reinterpret_cast<void*>(number),
          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  KP_OR_FAULT_VOID(map_handle(executor, range, handle));
  return Frame{};
}

Answer unmap(Executor& executor, const Frame& request) {
  KP_OR_FAULT(const auto address, or_fault(number_member<std::uint64_t>(request.body, "address")));
  const auto found = executor.mappings.find(address);
  if (found == executor.mappings.end())
    return refusal(CUDA_ERROR_INVALID_VALUE, fmt::format("nothing is mapped at {:#x}", address));
  KP_CALL(executor.driver, cuStreamSynchronize, executor.stream);
  release(executor, found);
  return Frame{};
}

Answer write(Executor& executor, const Frame& request) {
  KP_OR_FAULT(const Transfer transfer, transfer_from(executor, request.body));
  KP_CALL(executor.driver, cuMemcpyHtoD, transfer.address, transfer.staged.data(),
          transfer.staged.size());
  // From pageable memory the call returns before the last bytes have arrived; what follows in this
  // context waits for them, other processes do not.
  KP_CALL(executor.driver, cuCtxSynchronize);
  return Frame{};
}

Answer read(Executor& executor, const Frame& request) {
  KP_OR_FAULT(const Transfer transfer, transfer_from(executor, request.body));
  KP_CALL(executor.driver, cuMemcpyDtoH, transfer.staged.data(), transfer.address,
          transfer.staged.size());
  return Frame{};
}

}  // namespace kp::device::cuda
