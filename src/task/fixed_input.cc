// SPDX-License-Identifier: Apache-2.0
// Inputs whose elements stand in a safetensors file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "model/task.h"
#include "task/definition.h"
#include "task/safetensors.h"

namespace kp::task {
namespace {

using Json = nlohmann::json;

bool is_file(const Path& path) {
  std::error_code code;
  return std::filesystem::is_regular_file(path, code);
}

Result<std::string> member(const Json& input, const char* key) {
  const Json value = input.value(key, Json());
  if (value.is_string() && !value.get_ref<const std::string&>().empty())
    return value.get<std::string>();
  return fail(ErrorCode::kInvalidInput, fmt::format("has no `{}`", key),
              R"(write {"type": "safetensors", "path": "blob/a.safetensors", "tensor_key": "x"})");
}

/// Under each root the path as it is, then without its first folders: a data set may lie in
/// another place than where the workload was written.
std::optional<Path> resolved(const std::vector<Path>& roots, const Path& path) {
  if (path.is_absolute()) return is_file(path) ? std::optional(path) : std::nullopt;
  const std::vector<Path> parts(path.begin(), path.end());
  for (std::size_t dropped = 0; dropped < parts.size(); ++dropped) {
    Path rest;
    for (std::size_t i = dropped; i < parts.size(); ++i) rest /= parts[i];
    for (const Path& root : roots)
      if (is_file(root / rest)) return root / rest;
  }
  return {};
}

Result<Path> locate(const Definition& definition, const std::string& spelled) {
  const Path path(spelled);
  if (std::find(path.begin(), path.end(), "..") != path.end()) {
    return fail(ErrorCode::kInvalidInput, fmt::format("has the path {}, which climbs up", spelled),
                "name a file below the folder of the problem");
  }
  if (auto found = resolved(definition.roots, path)) return *std::move(found);
  return fail(ErrorCode::kNotFound, fmt::format("names {}, which does not exist", spelled),
              "it is looked for from the folder of the problem upwards; fetch the data (`git lfs "
              "pull` in a checkout)");
}

Result<std::vector<std::int64_t>> shape_of(const Tensor& tensor, const Workload& workload) {
  std::vector<std::int64_t> shape;
  for (const Expr& dimension : tensor.shape) {
    KP_TRY(const std::int64_t extent, dimension.evaluate(workload.axes));
    shape.push_back(extent);
  }
  return shape;
}

Result<void> check_fit(const StoredTensor& stored, const Tensor& tensor,
                       const std::vector<std::int64_t>& shape, const Path& file) {
  const SourceSpot spot{file.string(), 0, 0};
  if (stored.dtype != tensor.dtype) {
    return fail_at(spot,
                   fmt::format("tensor `{}` is {}, the definition says {}", stored.key,
                               stored.dtype_name, name_of(tensor.dtype)),
                   "correct the one that is wrong");
  }
  if (stored.shape == shape) return {};
  return fail_at(spot,
                 fmt::format("tensor `{}` has the shape [{}], the workload says [{}]", stored.key,
                             fmt::join(stored.shape, ", "), fmt::join(shape, ", ")),
                 "correct the axes of the workload, or the file");
}

}  // namespace

Result<FixedInput> find_data(const Definition& definition, const Tensor& tensor, const Json& input,
                             const Workload& workload) {
  if (tensor.shape.empty()) {
    return fail(ErrorCode::kInvalidInput, "is a scalar, and scalars stand in the workload",
                R"(write {"type": "scalar", "value": 1})");
  }
  FixedInput data;
  KP_TRY(data.path, member(input, "path"));
  KP_TRY(data.key, member(input, "tensor_key"));
  KP_TRY(data.file, locate(definition, data.path));
  KP_TRY(const std::vector<std::int64_t> shape, shape_of(tensor, workload));
  KP_TRY(const auto tensors, read_safetensors(data.file));
  for (const StoredTensor& stored : tensors) {
    if (stored.key != data.key) continue;
    KP_TRY_VOID(check_fit(stored, tensor, shape, data.file));
    data.offset = stored.offset;
    data.bytes = stored.bytes;
    return data;
  }
  return fail_at(
      {data.file.string(), 0, 0}, fmt::format("there is no tensor `{}`", data.key),
      tensors.empty() ? std::string() : fmt::format("the first one is `{}`", tensors.front().key));
}

}  // namespace kp::task
