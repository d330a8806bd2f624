// SPDX-License-Identifier: Apache-2.0
#include "task/problem_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kp::task {
namespace {

using Extents = std::vector<std::int64_t>;  // of one dimension, by size

bool varies(const Extents& extents) {
  return std::adjacent_find(extents.begin(), extents.end(), std::not_equal_to<>()) != extents.end();
}

/// The constants by what they are at each size; of several that are always equal, the first by
/// name.
std::map<Extents, std::string> names_of(const std::vector<ProblemSize>& sizes) {
  std::map<Extents, std::string> names;
  for (const auto& [name, value] : sizes.front().constants) {
    Extents values;
    for (const ProblemSize& size : sizes) values.push_back(size.constants.at(name));
    names.emplace(std::move(values), name);
  }
  return names;
}

Result<Extents> extents_at(const std::vector<ProblemSize>& sizes, std::size_t tensor,
                           std::size_t dimension) {
  Extents extents;
  for (const ProblemSize& size : sizes) {
    const auto members = members_of(size.description);
    if (tensor >= members.size() || dimension >= members[tensor]->shape.size())
      return fail(ErrorCode::kUnsupported, "the number or rank of its tensors depends on its sizes",
                  "split it into problems that each have one form");
    extents.push_back(members[tensor]->shape[dimension]);
  }
  return extents;
}

}  // namespace

std::vector<const torch::Member*> members_of(const torch::Description& description) {
  std::vector<const torch::Member*> all;
  for (const auto* members : {&description.inputs, &description.weights, &description.outputs}) {
    for (const torch::Member& member : *members) all.push_back(&member);
  }
  return all;
}

Result<ProblemAxes> ProblemAxes::find(const std::vector<ProblemSize>& sizes) {
  ProblemAxes axes;
  const auto tensors = members_of(sizes.front().description);
  std::set<std::string> taken;
  for (const torch::Member* tensor : tensors) taken.insert(tensor->name);
  const std::map<Extents, std::string> constants = names_of(sizes);
  std::map<Extents, std::string> found;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    std::vector<Expr>& shape = axes.shapes_.emplace_back();
    for (std::size_t d = 0; d < tensors[t]->shape.size(); ++d) {
      KP_TRY(const Extents extents, extents_at(sizes, t, d));
      if (!varies(extents)) {
        shape.emplace_back(extents.front());
        continue;
      }
      auto [at, fresh] = found.try_emplace(extents);
      if (fresh) {
        const auto constant = constants.find(extents);
        at->second = constant != constants.end() ? constant->second
                                                 : fmt::format("{}_{}", tensors[t]->name, d);
        while (!taken.insert(at->second).second) at->second += "_size";
        axes.names_.push_back(at->second);
        axes.values_[at->second] = extents;
      }
      shape.push_back(Expr({{Expr::Op::kName, 0, at->second}}, at->second));
    }
  }
  return axes;
}

Bindings ProblemAxes::bindings(std::size_t size) const {
  Bindings bindings;
  for (const auto& [name, values] : values_) bindings[name] = values.at(size);
  return bindings;
}

}  // namespace kp::task
