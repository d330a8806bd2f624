// SPDX-License-Identifier: Apache-2.0
// The header of a safetensors file: eight bytes of length, JSON, then the elements of all tensors.
// The file may be hostile; nothing of it is believed before it fits the file's size.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "model/dtype.h"

namespace kp::task {

struct StoredTensor {
  std::string key;
  std::string dtype_name;      // as the file spells it: "F32"
  std::optional<DType> dtype;  // absent: a type that no plan has
  std::vector<std::int64_t> shape;
  std::uint64_t offset = 0, bytes = 0;  // in the file
};

/// Sorted by offset. Errors name the file: kNotFound, kInvalidInput for anything that breaks the
/// format (lengths, ranges that leave the file or overlap, sizes that differ from the shape).
Result<std::vector<StoredTensor>> read_safetensors(const Path& file);

/// The same of a file of `file_bytes` bytes of which `head` is the beginning: length and JSON.
Result<std::vector<StoredTensor>> parse_safetensors(std::string_view head, std::uint64_t file_bytes,
                                                    const Path& file);

/// The bytes of a file with this header and these elements.
std::string safetensors_text(std::string_view header, std::string_view data);

/// Bytes [offset, offset + count) of a file; kIo when it is shorter.
Result<std::string> read_range(const Path& file, std::uint64_t offset, std::uint64_t count);

}  // namespace kp::task
