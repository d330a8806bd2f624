// SPDX-License-Identifier: Apache-2.0
#include "torch/array_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "model/json_reader.h"

namespace kp::torch {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kAlignment = 64;  // bytes; as in kernelpro_torch/arrays.py

std::uint64_t aligned(std::uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

tl::unexpected<Error> no_memory(const char* step) {
  return fail(ErrorCode::kLimit,
              fmt::format("no shared memory for arrays: {}: {}", step, std::strerror(errno)),
              "use smaller sizes");
}

/// `move(bytes, count, offset)` is pread or pwrite; both may do less than they are asked for.
template <class Byte, class Move>
bool move_all(Byte* bytes, std::uint64_t count, std::uint64_t offset, Move move) {
  while (count > 0) {
    const ssize_t moved = move(bytes, count, static_cast<off_t>(offset));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    bytes += moved;
    count -= static_cast<std::uint64_t>(moved);
    offset += static_cast<std::uint64_t>(moved);
  }
  return true;
}

struct Entry {
  std::string name;
  std::uint64_t offset = 0, count = 0;
};

Result<std::vector<Entry>> entries_from(const Json& json, std::uint64_t file_bytes) {
  JsonReader::Fault fault;
  const Json whole = {{"arrays", json}};
  std::vector<Entry> entries;
  JsonReader(whole, "answer", fault).each("arrays", [&](const JsonReader& in) {
    const std::int64_t offset = in.integer("offset"), count = in.integer("count");
    const std::int64_t most = static_cast<std::int64_t>(file_bytes / sizeof(double));
    const bool inside = offset >= 0 && count >= 0 && count <= most &&
                        static_cast<std::uint64_t>(offset) <=
                            file_bytes - static_cast<std::uint64_t>(count) * sizeof(double);
    if (!inside) in.wrong("offset", "inside of the shared memory");
    entries.push_back(
        {in.text("name"), static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(count)});
  });
  return value_or_fault(std::move(entries), std::move(fault));
}

}  // namespace

Result<ArrayFile> ArrayFile::make(const Tensors& arrays) {
  Descriptor file(::memfd_create("kernelpro-arrays", MFD_CLOEXEC));
  if (!file.open()) return no_memory("memfd_create");
  ArrayFile made(std::move(file));
  KP_TRY_VOID(made.write(arrays));
  return made;
}

Result<void> ArrayFile::write(const Tensors& arrays) {
  std::uint64_t end = 0;
  for (const auto& [name, values] : arrays) {
    const std::uint64_t bytes = values.size() * sizeof(double);
    entries_.push_back({{"name", name}, {"offset", end}, {"count", values.size()}});
    const auto put = [this](const char* from, std::uint64_t count, off_t offset) {
      return ::pwrite(file_.number(), from, count, offset);
    };
    if (!move_all(reinterpret_cast<const char*>(values.data()), bytes, end, put))
      return no_memory("write");
    end = aligned(end + bytes);
  }
  return {};
}

Result<Tensors> ArrayFile::read(const Json& entries) const {
  struct stat state {};
  if (::fstat(file_.number(), &state) != 0)
    return fail(ErrorCode::kIo, fmt::format("fstat: {}", std::strerror(errno)));
  KP_TRY(const std::vector<Entry> places,
         entries_from(entries, static_cast<std::uint64_t>(state.st_size)));
  Tensors arrays;
  for (const Entry& entry : places) {
    std::vector<double>& values = arrays[entry.name];
    values.resize(entry.count);
    const auto take = [this](char* to, std::uint64_t count, off_t offset) {
      return ::pread(file_.number(), to, count, offset);
    };
    if (!move_all(reinterpret_cast<char*>(values.data()), entry.count * sizeof(double),
                  entry.offset, take))
      return fail(ErrorCode::kCorrupt, fmt::format("array {} cannot be read back", entry.name));
  }
  return arrays;
}

}  // namespace kp::torch
