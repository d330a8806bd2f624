// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/kernel_call.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace kp::device::cuda {

Faulty<CUmodule> load_image(const Driver& driver, std::span<const std::byte> cubin) {
  // The driver is not told the length: it believes the headers. Zeros behind the end keep small
  // lies harmless; larger ones end this process, which holds nothing else.
  constexpr std::size_t kZeros = 4096 / sizeof(std::uint64_t);
  std::vector<std::uint64_t> image(cubin.size() / sizeof(std::uint64_t) + kZeros);
  if (!cubin.empty()) std::memcpy(image.data(), cubin.data(), cubin.size());
  CUmodule module = nullptr;
  KP_CALL(driver, cuModuleLoadData, &module, image.data());
  return module;
}

}  // namespace kp::device::cuda
