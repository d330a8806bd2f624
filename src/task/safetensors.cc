// SPDX-License-Identifier: Apache-2.0
#include "task/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "model/json.h"

namespace kp::task {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMostHeader = 100'000'000;                // bytes; the format's own limit
constexpr std::string_view kPointer = "version https://git-lfs";  // what git has instead of a file

constexpr std::array kTypes{
    std::pair{"F64", DType::kF64},        std::pair{"F32", DType::kF32},
    std::pair{"F16", DType::kF16},        std::pair{"BF16", DType::kBf16},
    std::pair{"F8_E4M3", DType::kF8E4M3}, std::pair{"F8_E5M2", DType::kF8E5M2},
    std::pair{"I64", DType::kI64},        std::pair{"I32", DType::kI32},
    std::pair{"I16", DType::kI16},        std::pair{"I8", DType::kI8},
    std::pair{"U64", DType::kU64},        std::pair{"U32", DType::kU32},
    std::pair{"U16", DType::kU16},        std::pair{"U8", DType::kU8},
    std::pair{"BOOL", DType::kBool}};

tl::unexpected<Error> broken(const Path& file, std::string_view what) {
  return fail_at({file.string(), 0, 0}, fmt::format("not a safetensors file: {}", what),
                 "write it again, or fetch it again if the transfer broke off");
}

std::uint64_t length_of(std::string_view head) {
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(head[i]);
  return length;
}

/// How many bytes the header says it has, once that fits the file.
Result<std::uint64_t> header_bytes(std::string_view head, std::uint64_t file_bytes,
                                   const Path& file) {
  if (head.starts_with(kPointer)) {
    return fail_at(
        {file.string(), 0, 0}, "this is a Git LFS pointer, not the file itself",
        fmt::format("run `git lfs pull --include {}` in its repository", file.filename().string()));
  }
  if (head.size() < kLengthBytes) return broken(file, "it has less than 8 bytes");
  const std::uint64_t length = length_of(head);
  if (length > kMostHeader || length > file_bytes - kLengthBytes)
    return broken(file, fmt::format("its header should have {} bytes", length));
  return length;
}

/// One entry of the header. `data` is where the elements begin, `room` how many bytes follow.
class EntryReader {
 public:
  EntryReader(const Path& file, std::uint64_t data, std::uint64_t room)
      : file_(file), data_(data), room_(room) {}

  Result<StoredTensor> read(const std::string& key, const Json& entry) const {
    StoredTensor tensor;
    tensor.key = key;
    if (!entry.is_object()) return wrong(key, "is not an object");
    if (!entry.contains("dtype") || !entry["dtype"].is_string()) return wrong(key, "has no dtype");
    tensor.dtype_name = entry["dtype"].get<std::string>();
    for (const auto& [name, dtype] : kTypes)
      if (tensor.dtype_name == name) tensor.dtype = dtype;
    KP_TRY(const std::uint64_t elements, read_shape(entry, tensor));
    KP_TRY_VOID(read_range_of(entry, tensor));
    const bool fits = !tensor.dtype || elements * size_of(*tensor.dtype) == tensor.bytes;
    if (fits) return tensor;
    return wrong(key, fmt::format("has {} bytes, its shape [{}] of {} is another size",
                                  tensor.bytes, fmt::join(tensor.shape, ", "), tensor.dtype_name));
  }

 private:
  tl::unexpected<Error> wrong(const std::string& key, std::string_view what) const {
    return broken(file_, fmt::format("tensor `{}` {}", key, what));
  }

  /// Returns the number of elements; more than the file has bytes is an error already, so that
  /// products with element sizes fit.
  Result<std::uint64_t> read_shape(const Json& entry, StoredTensor& tensor) const {
    if (!entry.contains("shape") || !entry["shape"].is_array())
      return wrong(tensor.key, "has no shape");
    std::uint64_t elements = 1;
    for (const Json& extent : entry["shape"]) {
      if (!extent.is_number_unsigned() || extent.get<std::uint64_t>() > INT64_MAX)
        return wrong(tensor.key, "has a shape that is no list of sizes");
      const auto size = extent.get<std::uint64_t>();
      if (__builtin_mul_overflow(elements, size, &elements))
        return wrong(tensor.key, "has more elements than there are numbers");
      tensor.shape.push_back(static_cast<std::int64_t>(size));
    }
    if (tensor.dtype && elements > room_) return wrong(tensor.key, "is larger than the file");
    return elements;
  }

  Result<void> read_range_of(const Json& entry, StoredTensor& tensor) const {
    const Json range = entry.value("data_offsets", Json());
    const bool pair = range.is_array() && range.size() == 2 && range[0].is_number_unsigned() &&
                      range[1].is_number_unsigned();
    if (!pair) return wrong(tensor.key, "has no data_offsets");
    const auto begin = range[0].get<std::uint64_t>(), end = range[1].get<std::uint64_t>();
    if (begin > end || end > room_) return wrong(tensor.key, "lies outside of the file");
    tensor.offset = data_ + begin;
    tensor.bytes = end - begin;
    return {};
  }

  const Path& file_;
  std::uint64_t data_, room_;
};

Result<void> check_overlaps(std::vector<StoredTensor>& tensors, const Path& file) {
  std::sort(tensors.begin(), tensors.end(), [](const StoredTensor& a, const StoredTensor& b) {
    return std::pair(a.offset, a.bytes) < std::pair(b.offset, b.bytes);
  });
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    const StoredTensor &before = tensors[i - 1], &tensor = tensors[i];
    if (before.offset + before.bytes <= tensor.offset) continue;
    return broken(file, fmt::format("tensors `{}` and `{}` overlap", before.key, tensor.key));
  }
  return {};
}

}  // namespace

Result<std::vector<StoredTensor>> parse_safetensors(std::string_view head, std::uint64_t file_bytes,
                                                    const Path& file) {
  KP_TRY(const std::uint64_t length, header_bytes(head, file_bytes, file));
  if (head.size() - kLengthBytes < length) return broken(file, "its header is cut off");
  const auto json = parse_json(head.substr(kLengthBytes, length));
  if (!json || !json->is_object()) return broken(file, "its header is not a JSON object");
  const std::uint64_t data = kLengthBytes + length;
  const EntryReader reader(file, data, file_bytes - data);
  std::vector<StoredTensor> tensors;
  for (const auto& [key, entry] : json->items()) {
    if (key == "__metadata__") continue;
    KP_TRY(StoredTensor tensor, reader.read(key, entry));
    tensors.push_back(std::move(tensor));
  }
  KP_TRY_VOID(check_overlaps(tensors, file));
  return tensors;
}

Result<std::vector<StoredTensor>> read_safetensors(const Path& file) {
  std::error_code code;
  const std::uint64_t size = std::filesystem::file_size(file, code);
  if (code) {
    return fail(ErrorCode::kNotFound, fmt::format("no such file: {}", file.string()),
                "fetch the data of the problem");
  }
  const std::uint64_t first = std::min<std::uint64_t>(size, kPointer.size());
  KP_TRY(const std::string start, read_range(file, 0, first));
  KP_TRY(const std::uint64_t length, header_bytes(start, size, file));
  KP_TRY(const std::string head, read_range(file, 0, kLengthBytes + length));
  return parse_safetensors(head, size, file);
}

std::string safetensors_text(std::string_view header, std::string_view data) {
  std::string bytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    bytes += static_cast<char>(static_cast<std::uint64_t>(header.size()) >> (8 * i) & 0xFF);
  return bytes.append(header).append(data);
}

Result<std::string> read_range(const Path& file, std::uint64_t offset, std::uint64_t count) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes(count, '\0');
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(bytes.data(), static_cast<std::streamsize>(count));
  if (in && static_cast<std::uint64_t>(in.gcount()) == count) return bytes;
  return fail(ErrorCode::kIo,
              fmt::format("cannot read {} bytes at {} of {}", count, offset, file.string()),
              "check that the file is whole and can be read");
}

}  // namespace kp::task
