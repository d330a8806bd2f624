// SPDX-License-Identifier: Apache-2.0
// Sees: pointer parameters of a launched kernel that lack `const` or `__restrict__`.
// Does: makes those that nobody writes through pointers to const, and all that share no memory
//   restricted: loads may then move above stores and go through the read-only path.
// Refuses: what is written, or goes where it is not understood, stays non-const; a parameter that
//   the plan binds to the same array as another one of which either is written is not restricted;
//   kernels with a prototype; kernels that are not launched.
#include <algorithm>

#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/pointees.h"

namespace kp::propose {
namespace {

/// The launches of the kernel in the run and its preparation.
std::vector<const Launch*> launches_of(const Plan& plan, std::string_view kernel) {
  std::vector<const Launch*> launches;
  for (const auto* steps : {&plan.prepare, &plan.steps}) {
    for (const Step& step : *steps) {
      const auto* launch = std::get_if<Launch>(&step);
      if (launch && launch->kernel == kernel) launches.push_back(launch);
    }
  }
  return launches;
}

bool same_array(const Launch& launch, std::size_t a, std::size_t b) {
  if (a >= launch.arguments.size() || b >= launch.arguments.size()) return true;
  const auto* first = std::get_if<std::string>(&launch.arguments[a].value);
  const auto* second = std::get_if<std::string>(&launch.arguments[b].value);
  return !first || !second || *first == *second;
}

struct Parameter {
  Pointer pointer;
  std::size_t position = 0;
  bool written = true;            // or not understood
  std::vector<Pointer> to_const;  // when it is only read
};

/// Collects the changes of all kernels; a function that two kernels call changes once.
class Changes {
 public:
  explicit Changes(const Subject& subject) : subject_(subject), tree_(subject.tree) {}

  void add(const SyntaxNode& kernel) {
    const auto launches = launches_of(subject_.candidate.plan, name_of_kernel(kernel));
    if (launches.empty() || has_prototype(kernel)) return;
    // A tensor map is one more way to an array.
    if (!subject_.candidate.plan.tensor_maps.empty()) return;
    const auto parameters = read_parameters(kernel);
    for (const Parameter& parameter : parameters) {
      const bool shares = std::any_of(parameters.begin(), parameters.end(), [&](const auto& other) {
        return other.position != parameter.position && (other.written || parameter.written) &&
               std::any_of(launches.begin(), launches.end(), [&](const Launch* launch) {
                 return same_array(*launch, parameter.position, other.position);
               });
      });
      for (const Pointer& pointer : parameter.to_const) make_const(pointer);
      if (!shares && !parameter.pointer.restricted) restrict(parameter.pointer);
    }
  }

  bool empty() const { return edits_.empty(); }
  std::string source() const { return edits_.apply(tree_.source()); }

 private:
  bool has_prototype(const SyntaxNode& kernel) const {
    const auto declarators = tree_.all(tree_.root(), "function_declarator");
    return std::count_if(declarators.begin(), declarators.end(), [&](const SyntaxNode& declarator) {
             return declarator.field("declarator").text() == name_of_kernel(kernel);
           }) != 1;
  }

  std::vector<Parameter> read_parameters(const SyntaxNode& kernel) const {
    std::vector<Parameter> parameters;
    std::size_t position = 0;
    for (const SyntaxNode& child : kernel.field("declarator").field("parameters").children()) {
      if (child.type() == "comment") continue;
      if (auto pointer = read_pointer(tree_, child)) {
        auto read = pointers_if_only_read(tree_, kernel, pointer->name);
        const bool written = !read;
        parameters.push_back({*std::move(pointer), position, written, {}});
        if (read) parameters.back().to_const = *std::move(read);
      }
      ++position;
    }
    return parameters;
  }

  void make_const(const Pointer& pointer) {
    const std::size_t at = pointer.declaration.begin();
    if (std::find(made_const_.begin(), made_const_.end(), at) != made_const_.end()) return;
    made_const_.push_back(at);
    edits_.insert(at, "const ");
  }

  void restrict(const Pointer& pointer) {
    edits_.insert(pointer.declarator.field("declarator").begin(), "__restrict__ ");
  }

  const Subject& subject_;
  const SourceTree& tree_;
  Edits edits_;
  std::vector<std::size_t> made_const_;
};

class ReadOnlyLoads final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"read_only_loads", diagnose::action::kReadOnlyLoads,
            "makes pointer parameters const and __restrict__ where nobody writes and nothing "
            "overlaps",
            "a launched kernel with pointer parameters that the plan binds to different arrays"};
  }

  RewriteResult apply(const Subject& subject) const override {
    Changes changes(subject);
    for (const SyntaxNode& kernel : subject.tree.kernels()) changes.add(kernel);
    if (changes.empty()) {
      return Refusal{"every pointer parameter is const and __restrict__ already, or may overlap"};
    }
    return std::vector<Rewritten>{
        {changes.source(),
         "tells the compiler which arrays are only read and that arrays do not overlap"}};
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_read_only_loads() { return std::make_unique<ReadOnlyLoads>(); }

}  // namespace kp::propose
