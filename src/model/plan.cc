// SPDX-License-Identifier: Apache-2.0
#include "model/plan.h"

#include <algorithm>

namespace kp {
namespace {

template <class Items>
auto find_named(const Items& items, std::string_view name) -> decltype(items.data()) {
  const auto found = std::find_if(items.begin(), items.end(),
                                  [name](const auto& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

const Tensor* Declaration::find(std::string_view name) const { return find_named(tensors, name); }

const ScratchBuffer* Plan::find_buffer(std::string_view name) const {
  return find_named(buffers, name);
}

std::string_view name_of(TensorRole role) {
  switch (role) {
    case TensorRole::kInput:
      return "input";
    case TensorRole::kOutput:
      return "output";
    case TensorRole::kInOut:
      return "inout";
    case TensorRole::kWeight:
      return "weight";
  }
  return "input";
}

std::string_view name_of(WorkloadRole role) {
  switch (role) {
    case WorkloadRole::kCheck:
      return "check";
    case WorkloadRole::kTime:
      return "time";
    case WorkloadRole::kBeside:
      return "beside";
  }
  return "time";
}

std::string_view name_of(IncludeLevel level) {
  switch (level) {
    case IncludeLevel::kRaw:
      return "raw";
    case IncludeLevel::kCute:
      return "cute";
    case IncludeLevel::kCutlass:
      return "cutlass";
  }
  return "raw";
}

}  // namespace kp
