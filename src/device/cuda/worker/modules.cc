// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/modules.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/cuda/members.h"
#include "device/cuda/worker/kernel_call.h"
#include "device/cuda/worker/verbs.h"

namespace kp::device::cuda {
namespace {

/// What a plan may ask for goes beyond what a function has by default.
Faulty<void> lift_limits(const Executor& executor, CUfunction function) {
  const Driver& driver = executor.driver;
  int fixed = 0;
  KP_CALL(driver, cuFuncGetAttribute, &fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
  const int room = std::max(0, executor.dynamic_shared_limit - fixed);
  KP_CALL(driver, cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
          room);
  // GPUs without clusters know no such attribute.
  driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  return {};
}

}  // namespace

Faulty<Module*> find_module(Executor& executor, int number) {
  const auto found = executor.modules.find(number);
  if (found != executor.modules.end()) return &found->second;
  return refusal(CUDA_ERROR_INVALID_HANDLE, fmt::format("no module {} is loaded", number));
}

Faulty<CUfunction> find_kernel(const Executor& executor, Module& module, const std::string& name) {
  if (const auto known = module.kernels.find(name); known != module.kernels.end())
    return known->second;
  CUfunction function = nullptr;
  KP_CALL(executor.driver, cuModuleGetFunction, &function, module.handle, name.c_str());
  KP_OR_FAULT_VOID(lift_limits(executor, function));
  module.kernels[name] = function;
  return function;
}

Answer load(Executor& executor, const Frame& request) {
  KP_OR_FAULT(const auto cubin, or_fault(bytes_member(request.body, "cubin")));
  Module module;
  KP_OR_FAULT(module.handle, load_image(executor.driver, cubin));
  executor.modules[++executor.last_module] = module;
  return Frame{{{"module", executor.last_module}}, {}};
}

Answer unload(Executor& executor, const Frame& request) {
  KP_OR_FAULT(const int number, or_fault(number_member<int>(request.body, "module")));
  KP_OR_FAULT(Module * module, find_module(executor, number));
  KP_CALL(executor.driver, cuStreamSynchronize, executor.stream);
  KP_CALL(executor.driver, cuModuleUnload, module->handle);
  executor.modules.erase(number);
  return Frame{};
}

}  // namespace kp::device::cuda
