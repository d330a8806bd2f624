// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/replay.h"

#include <algorithm>
#include <cstdio>

#include "base/file.h"
#include "device/cuda/cbor.h"
#include "device/cuda/members.h"
#include "device/cuda/worker/kernel_call.h"
#include "device/cuda/worker/lockdown.h"
#include "device/cuda/worker/relocation.h"
#include "device/cuda/worker/steps.h"

namespace kp::device::cuda {
namespace {

constexpr std::uint64_t kLargestFile = 2ull << 30;
constexpr std::uint64_t kGapBytes = 1u << 20;  // between arrays; freed before the steps run

Result<nlohmann::json> read_request(const char* file) {
  KP_TRY(const std::string bytes, read_file(file, kLargestFile));
  return read_cbor({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

Faulty<void> make_own_context(Executor& executor, int gpu) {
  KP_OR_FAULT(executor.driver, or_fault(open_driver()));
  const Driver& driver = executor.driver;
  KP_CALL(driver, cuInit, 0);
  KP_CALL(driver, cuDeviceGet, &executor.device, gpu);
  KP_CALL(driver, cuDevicePrimaryCtxRetain, &executor.context, executor.device);
  KP_CALL(driver, cuCtxSetCurrent, executor.context);
  KP_CALL(driver, cuStreamCreate, &executor.stream, CU_STREAM_NON_BLOCKING);
  KP_CALL(driver, cuDeviceGetAttribute, &executor.dynamic_shared_limit,
          CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, executor.device);
  executor.gpu = gpu;
  return {};
}

Faulty<void> make_array(const Driver& driver, const nlohmann::json& json, Moves& moves) {
  KP_OR_FAULT(const auto address, or_fault(number_member<std::uint64_t>(json, "address")));
  KP_OR_FAULT(const auto bytes, or_fault(number_member<std::uint64_t>(json, "bytes")));
  CUdeviceptr made = 0;
  KP_CALL(driver, cuMemAlloc, &made, bytes);
  moves[address] = {bytes, made};
  if (find_member(json, "contents") == nullptr) return {};
  KP_OR_FAULT(const auto contents, or_fault(bytes_member(json, "contents")));
  if (contents.empty() || contents.size() > bytes)
    return refusal(CUDA_ERROR_INVALID_VALUE, "contents of another size than their array");
  for (std::uint64_t at = 0; at < bytes; at += contents.size()) {
    KP_CALL(driver, cuMemcpyHtoD, made + at, contents.data(),
            std::min<std::uint64_t>(contents.size(), bytes - at));
  }
  return {};
}

Faulty<Moves> make_arrays(const Driver& driver, const nlohmann::json& request) {
  KP_OR_FAULT(const nlohmann::json* list, or_fault(list_member(request, "arrays")));
  Moves moves;
  std::vector<CUdeviceptr> gaps;
  for (const nlohmann::json& json : *list) {
    KP_OR_FAULT_VOID(make_array(driver, json, moves));
    KP_CALL(driver, cuMemAlloc, &gaps.emplace_back(), kGapBytes);
  }
  for (const CUdeviceptr gap : gaps) KP_CALL(driver, cuMemFree, gap);
  return moves;
}

Faulty<void> run_all(Executor& executor, nlohmann::json& request) {
  KP_OR_FAULT(const int gpu, or_fault(number_member<int>(request, "device")));
  KP_OR_FAULT_VOID(make_own_context(executor, gpu));
  KP_OR_FAULT(const Moves moves, make_arrays(executor.driver, request));
  KP_OR_FAULT_VOID(or_fault(relocate(request["steps"], moves)));
  KP_OR_FAULT(const auto cubin, or_fault(bytes_member(request, "cubin")));
  KP_OR_FAULT(executor.modules[1].handle, load_image(executor.driver, cubin));
  KP_OR_FAULT(const ReadySteps steps, read_steps(executor, 1, request["steps"]));
  for (const ReadyStep& step : steps) KP_OR_FAULT_VOID(enqueue(executor, step));
  KP_CALL(executor.driver, cuStreamSynchronize, executor.stream);
  return {};
}

}  // namespace

int replay(const char* file) {
  if (!limit_process()) std::fprintf(stderr, "kernelpro-gpu: the system refuses its limits\n");
  Result<nlohmann::json> request = read_request(file);
  if (!request) {
    std::fprintf(stderr, "kernelpro-gpu: %s\n", request.error().text().c_str());
    return 2;
  }
  Executor executor;
  const Faulty<void> done = run_all(executor, *request);
  if (done) return 0;
  std::fprintf(stderr, "kernelpro-gpu: %s (CUDA error %d)\n", done.error().name.c_str(),
               done.error().code);
  return 1;
}

}  // namespace kp::device::cuda
