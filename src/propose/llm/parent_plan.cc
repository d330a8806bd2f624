// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/parent_plan.h"

#include <algorithm>
#include <vector>

#include "build/signature.h"
#include "task/task.h"

namespace kp::propose {
namespace {

using Signatures = std::vector<build::KernelSignature>;

const build::KernelSignature* find(const Signatures& signatures, const std::string& kernel) {
  for (const auto& signature : signatures) {
    if (signature.kernel == kernel) return &signature;
  }
  return nullptr;
}

/// A pointer may gain `const` or `__restrict__`; the element must stay.
bool same_type(const build::KernelParameter& a, const build::KernelParameter& b) {
  if (a.pointer != b.pointer || a.element != b.element || a.lanes != b.lanes) return false;
  return a.element.has_value() || a.type == b.type;
}

bool same_parameters(const build::KernelSignature* a, const build::KernelSignature* b) {
  return a && b &&
         std::equal(a->parameters.begin(), a->parameters.end(), b->parameters.begin(),
                    b->parameters.end(), same_type);
}

}  // namespace

std::optional<std::string> with_plan_of_parent(const Candidate* parent, const std::string& source) {
  if (!parent) return std::nullopt;
  const auto range = task::find_plan(parent->source, parent->file);
  if (!range) return std::nullopt;
  const Signatures before = build::declared_signatures(parent->source, parent->file);
  const Signatures now = build::declared_signatures(source, "reply.cu");
  for (const auto* steps : {&parent->plan.prepare, &parent->plan.steps, &parent->plan.oracle}) {
    for (const Step& step : *steps) {
      const auto* launch = std::get_if<Launch>(&step);
      if (!launch) continue;
      if (!same_parameters(find(before, launch->kernel), find(now, launch->kernel)))
        return std::nullopt;
    }
  }
  return parent->source.substr(range->begin, range->end - range->begin) + "\n" + source;
}

}  // namespace kp::propose
