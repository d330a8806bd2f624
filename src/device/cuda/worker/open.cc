// SPDX-License-Identifier: Apache-2.0
// The verb `open`: a context on one GPU, then no way back to the rest of the machine.
#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "device/cuda/members.h"
#include "device/cuda/worker/lockdown.h"
#include "device/cuda/worker/verbs.h"

namespace kp::device::cuda {
namespace {

struct OpenRequest {
  int gpu = 0;
  std::string confine;
  std::span<const std::byte> kernels;
  std::vector<std::string> readable;  // folders beyond the system's, such as CUPTI's
};

Faulty<OpenRequest> open_request_from(const nlohmann::json& json) {
  OpenRequest request;
  KP_OR_FAULT(request.gpu, or_fault(number_member<int>(json, "device")));
  KP_OR_FAULT(request.confine, or_fault(text_member(json, "confine")));
  KP_OR_FAULT(request.kernels, or_fault(bytes_member(json, "kernels")));
  if (const nlohmann::json* folders = find_member(json, "readable")) {
    if (!folders->is_array())
      return tl::unexpected<Fault>(refused(bad_member("readable", "a list").value()));
    for (const nlohmann::json& folder : *folders)
      if (folder.is_string()) request.readable.push_back(folder.get<std::string>());
  }
  return request;
}

/// Libraries that the driver would load into every program, and loading in the midst of a timing.
void clean_environment() {
  for (const char* name : {"CUDA_INJECTION64_PATH", "CUDA_INJECTION32_PATH",
                           "NVTX_INJECTION64_PATH", "CUDA_LAUNCH_BLOCKING"})
    ::unsetenv(name);
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 1);
}

/// On the primary context: the one that every version of the driver makes alike.
Faulty<void> make_context(Executor& executor, int gpu) {
  const Driver& driver = executor.driver;
  KP_CALL(driver, cuInit, 0);
  KP_CALL(driver, cuDeviceGet, &executor.device, gpu);
  KP_CALL(driver, cuDevicePrimaryCtxSetFlags, executor.device, CU_CTX_SCHED_SPIN);
  KP_CALL(driver, cuDevicePrimaryCtxRetain, &executor.context, executor.device);
  KP_CALL(driver, cuCtxSetCurrent, executor.context);
  KP_CALL(driver, cuStreamCreate, &executor.stream, CU_STREAM_NON_BLOCKING);
  KP_CALL(driver, cuDeviceGetAttribute, &executor.dynamic_shared_limit,
          CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, executor.device);
  return {};
}

/// No room for device printf; nothing of L2 set aside. GPUs that know neither say so: nothing lost.
void set_limits(const Driver& driver) {
  driver.cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 0);
  driver.cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

/// By number, as text: a map of ours has text keys.
nlohmann::json attributes_of(const Executor& executor) {
  nlohmann::json attributes = nlohmann::json::object();
  for (int number = 1; number < CU_DEVICE_ATTRIBUTE_MAX; ++number) {
    int value = 0;
    const auto which = static_cast<CUdevice_attribute>(number);
    if (executor.driver.cuDeviceGetAttribute(&value, which, executor.device) == CUDA_SUCCESS)
      attributes[std::to_string(number)] = value;
  }
  return attributes;
}

Answer describe(const Executor& executor) {
  const Driver& driver = executor.driver;
  std::array<char, 256> name{};
  KP_CALL(driver, cuDeviceGetName, name.data(), static_cast<int>(name.size()) - 1, executor.device);
  CUuuid uuid{};
  KP_CALL(driver, cuDeviceGetUuid, &uuid, executor.device);
  std::size_t memory = 0;
  KP_CALL(driver, cuDeviceTotalMem, &memory, executor.device);
  int version = 0;
  KP_CALL(driver, cuDriverGetVersion, &version);
  return Frame{{{"name", name.data()},
                {"uuid", uuid_text(uuid)},
                {"attributes", attributes_of(executor)},
                {"memory", memory},
                {"driver", version}},
               {}};
}

/// The strongest of the levels that was asked for and reached.
std::string reached(const std::string& asked, bool files, bool calls) {
  if (!calls) return "none";
  if (!files || asked == "minimal") return "minimal";
  return asked == "full" ? "full" : "landlock";
}

}  // namespace

Answer open_gpu(Executor& executor, const Frame& frame) {
  KP_OR_FAULT(const OpenRequest request, open_request_from(frame.body));
  // Files first, while there is one thread; system calls last, when the driver has made its own.
  const bool files = request.confine != "minimal" && restrict_files(request.readable);
  clean_environment();
  KP_OR_FAULT(executor.driver, or_fault(open_driver()));
  KP_OR_FAULT_VOID(make_context(executor, request.gpu));
  KP_OR_FAULT_VOID(reserve_addresses(executor.driver));
  set_limits(executor.driver);
  KP_OR_FAULT(executor.instruments,
              make_instruments(executor.driver, executor.device, request.kernels));
  KP_OR_FAULT(executor.disturbances,
              make_disturbances(executor.driver, executor.device, executor.instruments.module));
  KP_OR_FAULT(Frame answer, describe(executor));
  const bool calls = filter_system_calls() && hide_memory();
  answer.body["confined"] = reached(request.confine, files, calls);
  executor.gpu = request.gpu;
  return answer;
}

}  // namespace kp::device::cuda
