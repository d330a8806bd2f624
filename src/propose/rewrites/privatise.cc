// SPDX-License-Identifier: Apache-2.0
// Sees: atomic additions at addresses that depend on the data, into an array that fits shared
//   memory.
// Does: counts in a copy of the array for each block, or for each warp, and adds the copies to the
//   array at the end; where each thread handles one element, a few blocks go through the grid, so
//   that there is much to count for each copy.
// Refuses: arrays that the kernel uses otherwise or whose extent differs between workloads or does
//   not fit; other operations; kernels that signal other blocks or leave early in other ways.
#include <fmt/format.h>

#include <algorithm>

#include "propose/atomics.h"
#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/effects.h"
#include "propose/guarded_work.h"
#include "propose/launches.h"
#include "propose/pattern.h"

namespace kp::propose {
namespace {

constexpr std::uint64_t kMostBytes = 32 * 1024;  // of the 48 KiB of static shared memory
constexpr std::uint64_t kMostMerged = 8192;      // elements that a block clears and adds

constexpr std::string_view kStart = R"(
  __shared__ $TYPE $COPY[$EXTENT];
  for (int kp_bin = threadIdx.x; kp_bin < $EXTENT; kp_bin += blockDim.x) $COPY[kp_bin] = 0;
  __syncthreads();
)";
constexpr std::string_view kEnd = R"(  __syncthreads();
  for (int kp_bin = threadIdx.x; kp_bin < $EXTENT; kp_bin += blockDim.x) {
    if ($COPY[kp_bin] != 0) atomicAdd(&$ARRAY[kp_bin], $COPY[kp_bin]);
  }
)";
constexpr std::string_view kStartOfCopies = R"(
  __shared__ $TYPE $COPY[$COPIES][$EXTENT];
  for (int kp_bin = threadIdx.x; kp_bin < $EXTENT; kp_bin += blockDim.x) {
    for (int kp_copy = 0; kp_copy < $COPIES; ++kp_copy) $COPY[kp_copy][kp_bin] = 0;
  }
  __syncthreads();
)";
constexpr std::string_view kEndOfCopies = R"(  __syncthreads();
  for (int kp_bin = threadIdx.x; kp_bin < $EXTENT; kp_bin += blockDim.x) {
    $TYPE kp_sum = 0;
    for (int kp_copy = 0; kp_copy < $COPIES; ++kp_copy) kp_sum += $COPY[kp_copy][kp_bin];
    if (kp_sum != 0) atomicAdd(&$ARRAY[kp_bin], kp_sum);
  }
)";

/// The array that is counted in.
struct Counted {
  std::string name, type;
  std::uint64_t extent = 0, bytes = 0;
  std::vector<AtomicUpdate> updates;
};

/// Elements of the tensor or buffer behind the parameter, if they are as many in all workloads.
std::optional<std::uint64_t> extent_of(const Subject& subject, const SyntaxNode& kernel,
                                       const Launch& launch, const std::string& pointer) {
  const Argument* argument = argument_for(subject.tree, kernel, launch, pointer);
  const auto* name = argument ? std::get_if<std::string>(&argument->value) : nullptr;
  if (!name) return std::nullopt;
  const Tensor* tensor = subject.task.declaration.find(*name);
  const ScratchBuffer* buffer = subject.candidate.plan.find_buffer(*name);
  if (!tensor && !buffer) return std::nullopt;
  std::optional<std::uint64_t> extent;
  for (const Workload& workload : subject.task.workloads) {
    Bindings bindings = workload.axes;
    bindings.insert(subject.candidate.tune.begin(), subject.candidate.tune.end());
    const auto count = element_count(tensor ? tensor->shape : buffer->shape, bindings);
    if (!count || (extent && *extent != *count)) return std::nullopt;
    extent = *count;
  }
  return extent;
}

class Privatise final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"privatise", diagnose::action::kPrivatise,
            "counts in a copy of the array in shared memory and adds the copies at the end",
            "atomic additions without use of their result into an array of known extent that fits "
            "shared memory and is used for nothing else"};
  }

  RewriteResult apply(const Subject& subject) const override {
    for (const SyntaxNode& kernel : subject.tree.kernels()) {
      const auto block = FlatBlock::of(subject, kernel);
      const Launch* launch = only_launch(subject.candidate.plan, name_of_kernel(kernel));
      if (!concerns(subject, kernel) || !block || !launch || signals_other_blocks(kernel) ||
          mentions(subject.tree, kernel, "kp_bin")) {
        continue;
      }
      for (const PointerParameter& pointer : pointer_parameters(subject.tree, kernel)) {
        const auto counted = read_counted(subject, kernel, *launch, *block, pointer);
        if (!counted) continue;
        auto versions = rewrite(subject, kernel, *block, *counted);
        if (!versions.empty()) return versions;
      }
    }
    return Refusal{
        "no kernel only adds atomically into an array whose extent is known and fits "
        "shared memory"};
  }

 private:
  static std::optional<Counted> read_counted(const Subject& subject, const SyntaxNode& kernel,
                                             const Launch& launch, const FlatBlock& block,
                                             const PointerParameter& pointer) {
    Counted counted{pointer.name, pointer.element, 0, 0, {}};
    counted.updates = only_updates_of(subject.tree, kernel, pointer.name);
    const bool number = pointer.element == "int" || pointer.element == "unsigned int" ||
                        pointer.element == "unsigned" || pointer.element == "float" ||
                        pointer.element == "double";
    if (counted.updates.empty() || !number ||
        !is_passed_once(subject.tree, kernel, launch, pointer.name)) {
      return std::nullopt;
    }
    for (const AtomicUpdate& update : counted.updates) {
      if (update.combine != Combine::kAdd || has_one_place(block, update)) return std::nullopt;
    }
    const auto extent = extent_of(subject, kernel, launch, pointer.name);
    if (!extent || *extent < 2 || *extent > kMostMerged) return std::nullopt;
    counted.extent = *extent;
    counted.bytes = *extent * pointer.element_bytes;
    if (counted.bytes > kMostBytes) return std::nullopt;
    return counted;
  }

  /// One address for all threads of the block: aggregation serves it better. The index that a copy
  /// is merged by is one too.
  static bool has_one_place(const FlatBlock& block, const AtomicUpdate& update) {
    const SyntaxNode address = without_parentheses(update.address);
    if (address.type() == "identifier") return true;
    SyntaxNode offset = address.field("right");
    if (address.type() == "pointer_expression") {
      const auto indices =
          without_parentheses(address.field("argument")).field("indices").children();
      if (indices.size() != 1) return true;
      offset = indices.front();
    }
    return block.is_uniform(offset);
  }

  static std::vector<Rewritten> rewrite(const Subject& subject, const SyntaxNode& kernel,
                                        const FlatBlock& block, const Counted& counted) {
    std::vector<Rewritten> versions;
    const Launch* launch = only_launch(subject.candidate.plan, name_of_kernel(kernel));
    const auto threads = literal(launch->block.x);
    const std::uint64_t warps =
        threads && block.has_whole_warps() ? static_cast<std::uint64_t>(*threads) / 32 : 1;
    for (const std::uint64_t copies : {std::uint64_t{1}, warps}) {
      if (copies * counted.bytes > kMostBytes || (copies == 1 && !versions.empty())) continue;
      auto version = write(subject, kernel, block, counted, copies);
      if (version) versions.push_back(*std::move(version));
    }
    return versions;
  }

  static std::optional<Rewritten> write(const Subject& subject, const SyntaxNode& kernel,
                                        const FlatBlock& block, const Counted& counted,
                                        std::uint64_t copies) {
    const SourceTree& tree = subject.tree;
    const SyntaxNode body = kernel.field("body");
    const std::string copy = counted.name + "_copy";
    if (mentions(tree, kernel, copy)) return std::nullopt;
    Edits edits;
    Plan plan = subject.candidate.plan;
    const auto work = match_guarded_work(tree, kernel, block);
    if (work && may_repeat(tree, *work)) {
      write_grid_stride(tree, *work, block, edits);
      limit_grid(subject, plan, name_of_kernel(kernel));
    } else if (!enclose_returns(tree, kernel, edits)) {
      return std::nullopt;
    }
    const Fillings fillings{{"TYPE", counted.type},
                            {"COPY", copy},
                            {"COPIES", std::to_string(copies)},
                            {"EXTENT", std::to_string(counted.extent)},
                            {"ARRAY", counted.name}};
    edits.insert(body.begin() + 1, filled(copies == 1 ? kStart : kStartOfCopies, fillings));
    for (const AtomicUpdate& update : counted.updates)
      edits.replace(update.place, copies == 1 ? copy : copy + "[threadIdx.x / 32]");
    edits.insert(body.end() - 1, filled(copies == 1 ? kEnd : kEndOfCopies, fillings) + "\n");
    auto source = task::replace_plan(edits.apply(tree.source()), subject.candidate.file, plan);
    if (!source) return std::nullopt;
    return Rewritten{
        *std::move(source),
        fmt::format("{} adds into a copy of {} in shared memory for each {}",
                    name_of_kernel(kernel), counted.name, copies == 1 ? "block" : "warp")};
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_privatise() { return std::make_unique<Privatise>(); }

}  // namespace kp::propose
