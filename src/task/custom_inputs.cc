// SPDX-License-Identifier: Apache-2.0
#include "task/custom_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "base/text.h"
#include "model/task.h"
#include "task/python_reference.h"
#include "task/safetensors.h"
#include "torch/worker.h"

namespace kp::task {
namespace {

constexpr std::uint64_t kSeed = 42;
constexpr double kLargestWhole = 0x1p53;  // whole numbers up to here are doubles

constexpr std::string_view kMaking = R"(

import torch as kp_torch

kp_same_size = {{4: kp_torch.int32, 2: kp_torch.int16, 1: kp_torch.uint8}}


def kp_bits(name, value, dtype):
    if not isinstance(value, kp_torch.Tensor):
        return value
    if value.dtype != getattr(kp_torch, dtype):
        raise ValueError(f"{{name}} is made as {{value.dtype}}, the definition says {{dtype}}")
    value = value.detach().cpu().contiguous()
    if not value.is_floating_point() or value.dtype == kp_torch.float64:
        return value
    return value.view(kp_same_size[value.element_size()])


def run({inputs}):
    raise NotImplementedError("this makes inputs only")


def get_inputs():
    made = {function}({{{values}}}, kp_torch.device("cpu"))
    return [{elements}]
)";

bool is_custom(const Workload& workload, const std::string& name) {
  const auto data = workload.data.find(name);
  return data != workload.data.end() && data->second.file.empty();
}

/// As many low bytes of the integers as the type has.
Result<std::string> bytes_of(const Tensor& tensor, const std::vector<double>& values) {
  std::string bytes;
  const std::size_t size = size_of(tensor.dtype);
  for (const double value : values) {
    std::int64_t bits = 0;
    if (tensor.dtype == DType::kF64) {
      std::memcpy(&bits, &value, sizeof bits);
    } else if (std::fabs(value) < kLargestWhole) {
      bits = static_cast<std::int64_t>(value);
    } else {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("`{}` is made with the integer {:.0f}", tensor.name, value),
                  "expected values are computed in double, which holds integers below 2^53");
    }
    char raw[sizeof bits];
    std::memcpy(raw, &bits, sizeof bits);
    bytes.append(raw, size);
  }
  return bytes;
}

/// The name of a type in a safetensors file; the elements are only read back by us.
const char* stored_type(std::size_t size) {
  return size == 8 ? "I64" : size == 4 ? "I32" : size == 2 ? "I16" : "U8";
}

Result<void> check_count(const Tensor& tensor, const Workload& workload, std::size_t count) {
  KP_TRY(const std::uint64_t wanted, element_count(tensor.shape, workload.axes));
  if (count == wanted) return {};
  return fail(ErrorCode::kInvalidInput,
              fmt::format("`{}` is made with {} elements, the definition says {}", tensor.name,
                          count, wanted),
              "make the function of custom_inputs_entrypoint and the definition agree");
}

class Maker {
 public:
  Maker(const Definition& definition, Workload& workload)
      : definition_(definition), workload_(workload) {}

  Result<void> make(std::unique_ptr<torch::Worker>& worker) {
    const std::string text = custom_problem_of(definition_, workload_);
    const Path file = cache_folder() / "problems" / (content_address({text}) + ".safetensors");
    std::error_code code;
    if (!std::filesystem::exists(file, code)) KP_TRY_VOID(draw(worker, text, file));
    KP_TRY(const auto tensors, read_safetensors(file));
    for (const StoredTensor& stored : tensors) KP_TRY_VOID(take(stored, file));
    return {};
  }

 private:
  Result<void> draw(std::unique_ptr<torch::Worker>& worker, const std::string& text,
                    const Path& file) {
    if (!worker) {
      KP_TRY(worker, torch::Worker::start({}));
    }
    KP_TRY(const Path problem, keep_python_problem(text));
    KP_TRY(const torch::Problem loaded, worker->load(problem));
    KP_TRY(const torch::Tensors made, worker->draw({loaded.number, {}, kSeed}));
    return keep(made, file);
  }

  Result<void> keep(const torch::Tensors& made, const Path& file) const {
    nlohmann::json header = nlohmann::json::object();
    std::string data;
    for (const Tensor& tensor : definition_.declaration.tensors) {
      const auto values = made.find(tensor.name);
      if (!is_custom(workload_, tensor.name) || values == made.end()) continue;
      Tensor kept = tensor;
      if (tensor.shape.empty()) kept.dtype = DType::kF64;  // scalars are kept as numbers
      KP_TRY_VOID(check_count(kept, workload_, values->second.size()));
      KP_TRY(const std::string bytes, bytes_of(kept, values->second));
      header[tensor.name] = {{"dtype", stored_type(size_of(kept.dtype))},
                             {"shape", {values->second.size()}},
                             {"data_offsets", {data.size(), data.size() + bytes.size()}}};
      data += bytes;
    }
    return write_file(file, safetensors_text(header.dump(), data));
  }

  Result<void> take(const StoredTensor& stored, const Path& file) {
    const Tensor* tensor = definition_.declaration.find(stored.key);
    if (tensor == nullptr) return {};
    if (!tensor->shape.empty()) {
      workload_.data[stored.key] = {file, "", stored.key, stored.offset, stored.bytes};
      return {};
    }
    KP_TRY(const std::string bytes, read_range(file, stored.offset, sizeof(double)));
    std::memcpy(&workload_.scalars[stored.key], bytes.data(), sizeof(double));
    workload_.data.erase(stored.key);
    return {};
  }

  const Definition& definition_;
  Workload& workload_;
};

}  // namespace

std::string custom_problem_of(const Definition& definition, const Workload& workload) {
  std::vector<std::string> inputs, elements, values;
  for (const auto& [axis, value] : workload.axes)
    values.push_back(fmt::format("\"{}\": {}", axis, value));
  for (const auto& [name, value] : workload.scalars)
    values.push_back(fmt::format("\"{}\": {}", name, value));
  for (const Tensor& tensor : definition.declaration.tensors) {
    if (tensor.role == TensorRole::kOutput) continue;
    inputs.push_back(tensor.name);
    elements.push_back(is_custom(workload, tensor.name)
                           ? fmt::format("kp_bits(\"{0}\", made[\"{0}\"], \"{1}\")", tensor.name,
                                         torch_type(tensor.dtype))
                           : "0");
  }
  return definition.reference +
         fmt::format(kMaking, fmt::arg("inputs", join(inputs, ", ")),
                     fmt::arg("function", definition.custom_inputs),
                     fmt::arg("values", join(values, ", ")),
                     fmt::arg("elements", join(elements, ",\n            ")));
}

Result<void> make_custom_inputs(const Definition& definition, std::vector<Workload>& workloads) {
  std::unique_ptr<torch::Worker> worker;
  for (Workload& workload : workloads) {
    bool custom = false;
    for (const auto& [name, data] : workload.data) custom |= data.file.empty();
    if (!custom) continue;
    KP_TRY_VOID(Maker(definition, workload)
                    .make(worker)
                    .within(fmt::format("workload {}, custom inputs", workload.name)));
  }
  return {};
}

}  // namespace kp::task
