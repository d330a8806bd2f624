// SPDX-License-Identifier: Apache-2.0
#include "draft/tensor_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/check.h"

namespace kp::draft {
namespace {

using Role = TensorDraft::Role;

std::string key_of(const LaunchDraft& launch, const BoundParameter& bound) {
  return bound.host_pointer.empty() ? launch.instance.name() + "." + bound.parameter.name
                                    : bound.host_pointer;
}

/// "d_x", "dev_x", "x_d", "gpu_x" all mean x.
std::string plain_name(const std::string& name) {
  for (const std::string_view prefix : {"d_", "dev_", "device_", "gpu_", "cuda_"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size()) return name.substr(prefix.size());
  }
  for (const std::string_view suffix : {"_d", "_dev", "_device", "_gpu"}) {
    if (name.ends_with(suffix) && name.size() > suffix.size())
      return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

/// How all launches together use one array.
struct Life {
  bool read_first = false;  // some launch reads what no earlier launch wrote
  bool written = false, read_later = false, unclear = false;
};

Life life_of(const std::string& key, const std::vector<LaunchDraft>& launches) {
  Life life;
  for (const LaunchDraft& launch : launches) {
    for (const BoundParameter& bound : launch.parameters) {
      if (!bound.parameter.pointer || key_of(launch, bound) != key) continue;
      const bool reads = bound.use.read || bound.parameter.constant;
      const bool writes = bound.use.written && !bound.parameter.constant;
      life.read_first |= reads && !life.written;
      life.read_later |= reads && life.written;
      life.written |= writes;
      life.unclear |= bound.use.unclear && !bound.parameter.constant;
    }
  }
  return life;
}

Role role_of(const std::string& key, const Life& life, const HostProgram& host) {
  if (!life.written) return Role::kInput;
  if (host.cleared(key)) return Role::kOutput;
  if (life.read_first) return Role::kInOut;
  return life.read_later && !host.copied_back(key) ? Role::kBuffer : Role::kOutput;
}

class Drafting {
 public:
  Drafting(const std::vector<LaunchDraft>& launches, const HostProgram& host,
           std::vector<Question>& questions)
      : launches_(launches), host_(host), questions_(questions) {}

  TensorSet run() {
    for (const LaunchDraft& launch : launches_) {
      for (const BoundParameter& bound : launch.parameters) {
        if (bound.parameter.pointer) visit(launch, bound);
        if (bound.extent) taken_.merge(bound.extent->names());
      }
    }
    for (TensorDraft& tensor : set_.tensors) finish(tensor);
    return std::move(set_);
  }

 private:
  void visit(const LaunchDraft& launch, const BoundParameter& bound) {
    const std::string key = key_of(launch, bound);
    auto found = std::find_if(set_.tensors.begin(), set_.tensors.end(),
                              [&key](const TensorDraft& tensor) { return tensor.key == key; });
    if (found == set_.tensors.end()) {
      TensorDraft& made = set_.tensors.emplace_back();
      made.key = key;
      made.name =
          plain_name(bound.host_pointer.empty() ? bound.parameter.name : bound.host_pointer);
      made.element = *bound.parameter.element;
      made.assumed_size = true;
      found = set_.tensors.end() - 1;
    }
    if (found->assumed_size) find_size(bound, *found, launch);
    if (!bound.use.indexes.empty()) indexes_[key] = {&launch, bound.use.indexes};
  }

  void find_size(const BoundParameter& bound, TensorDraft& tensor, const LaunchDraft& launch) {
    const auto bytes = host_.bytes_of(bound.host_pointer);
    if (bytes) {
      tensor.elements = *bytes / static_cast<std::int64_t>(size_of(tensor.element));
    } else if (bound.use.elements) {
      tensor.elements = *bound.use.elements * bound.parameter.lanes;
    } else {
      // One element for each thread is all that is left to assume.
      tensor.elements = launch.grid.x * launch.block.x * launch.grid.y * launch.block.y;
      return;
    }
    tensor.assumed_size = false;
  }

  void finish(TensorDraft& tensor) {
    const Life life = life_of(tensor.key, launches_);
    tensor.role = role_of(tensor.key, life, host_);
    tensor.cleared = life.written && host_.cleared(tensor.key);
    while (!taken_.insert(tensor.name).second) tensor.name += "_values";
    if (tensor.assumed_size)
      ask(tensor, "neither an allocation nor a bound tells how many elements it has",
          tensor.elements.text());
    if (life.unclear && life.written && tensor.role == Role::kInOut) {
      ask(tensor, "it is passed on or used by atomics: is it read before it is written?",
          "inout, restored before each run");
    }
    if (const auto index = indexes_.find(tensor.key); index != indexes_.end())
      tensor.indexes = indexed_by(*index->second.first, index->second.second);
  }

  std::string indexed_by(const LaunchDraft& launch, const std::string& parameter) const {
    for (const BoundParameter& bound : launch.parameters) {
      if (bound.parameter.name == parameter && bound.parameter.pointer)
        return key_of(launch, bound);
    }
    return "";
  }

  void ask(const TensorDraft& tensor, std::string text, std::string assumed) {
    questions_.push_back({"array " + tensor.name, std::move(text), std::move(assumed)});
  }

  const std::vector<LaunchDraft>& launches_;
  const HostProgram& host_;
  std::vector<Question>& questions_;
  TensorSet set_;
  std::set<std::string> taken_;
  std::map<std::string, std::pair<const LaunchDraft*, std::string>> indexes_;
};

}  // namespace

const TensorDraft& TensorSet::of(const LaunchDraft& launch, const BoundParameter& bound) const {
  const std::string key = key_of(launch, bound);
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&key](const TensorDraft& tensor) { return tensor.key == key; });
  KP_CHECK(found != tensors.end(), "every pointer of a launch became a tensor");
  return *found;
}

TensorSet tensors_of(const std::vector<LaunchDraft>& launches, const HostProgram& host,
                     std::vector<Question>& questions) {
  return Drafting(launches, host, questions).run();
}

}  // namespace kp::draft
