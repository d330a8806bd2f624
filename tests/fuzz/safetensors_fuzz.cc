// SPDX-License-Identifier: Apache-2.0
// Any bytes as a safetensors file: what is believed of it lies inside and does not overlap.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "task/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const auto tensors = kp::task::parse_safetensors(file, size, "fuzz.safetensors");
  if (!tensors) {
    KP_CHECK(!tensors.error().message.empty(), "an error must say something");
    return 0;
  }
  std::uint64_t end = 0;
  for (const kp::task::StoredTensor& tensor : *tensors) {
    KP_CHECK(tensor.offset >= end, "tensors do not overlap");
    KP_CHECK(tensor.bytes <= size && tensor.offset <= size - tensor.bytes, "they lie in the file");
    end = tensor.offset + tensor.bytes;
    std::uint64_t elements = 1;
    for (const std::int64_t extent : tensor.shape) elements *= static_cast<std::uint64_t>(extent);
    if (tensor.dtype)
      KP_CHECK(elements * kp::size_of(*tensor.dtype) == tensor.bytes, "shapes fit their bytes");
  }
  return 0;
}
