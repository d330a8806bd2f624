// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "task/declaration.h"
#include "task/plan_check.h"
#include "task/plan_draft.h"

namespace kp::task {
namespace {

/// Which launches may see which arrays.
enum class Phase { kPrepare, kRun, kOracle };

class NameCheck {
 public:
  NameCheck(const Declaration& declaration, Plan& plan) : declaration_(declaration), plan_(plan) {}

  Result<void> run() {
    KP_TRY_VOID(collect());
    for (const ScratchBuffer& buffer : plan_.buffers) {
      for (const Expr& extent : buffer.shape) {
        KP_TRY_VOID(check_names(extent, integers_, buffer.spot));
      }
    }
    for (const Tune& tune : plan_.tunes) {
      if (tune.where) KP_TRY_VOID(check_names(*tune.where, integers_, tune.spot));
    }
    for (const TensorMap& map : plan_.tensor_maps) KP_TRY_VOID(check_map(map));
    KP_TRY_VOID(check_steps(plan_.prepare, Phase::kPrepare));
    KP_TRY_VOID(check_steps(plan_.steps, Phase::kRun));
    KP_TRY_VOID(check_steps(plan_.oracle, Phase::kOracle));
    return check_outputs();
  }

 private:
  Result<void> collect() {
    integers_ = declaration_.axes;
    known_ = declaration_.axes;
    for (const Tensor& tensor : declaration_.tensors) known_.push_back(tensor.name);
    for (const Tune& tune : plan_.tunes) {
      KP_TRY_VOID(add(tune.name, tune.spot));
      integers_.push_back(tune.name);
    }
    for (const ScratchBuffer& buffer : plan_.buffers) KP_TRY_VOID(add(buffer.name, buffer.spot));
    for (const TensorMap& map : plan_.tensor_maps) KP_TRY_VOID(add(map.name, map.spot));
    return {};
  }

  static bool has(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  Result<void> add(const std::string& name, const SourceSpot& spot) {
    if (has(known_, name)) {
      return fail_at(spot, fmt::format("`{}` is already a name of the task", name),
                     "rename it; a plan's names and the task's share one set");
    }
    known_.push_back(name);
    return {};
  }

  tl::unexpected<Error> unknown(std::string_view what, const std::string& name,
                                const SourceSpot& spot) const {
    return fail_at(spot, fmt::format("unknown {} `{}`", what, name),
                   suggest(name, known_,
                           "declare it with `buffer`, or pass one of the task's tensors and axes"));
  }

  Result<void> check_map(const TensorMap& map) const {
    const Tensor* tensor = declaration_.find(map.tensor);
    const ScratchBuffer* buffer = plan_.find_buffer(map.tensor);
    if (tensor == nullptr && buffer == nullptr) return unknown("tensor", map.tensor, map.spot);
    const std::size_t rank = tensor != nullptr ? tensor->shape.size() : buffer->shape.size();
    if (map.box.size() != rank) {
      return fail_at(map.spot,
                     fmt::format("the box of `{}` has {} dimensions, `{}` has {}", map.name,
                                 map.box.size(), map.tensor, rank),
                     "give one extent for each dimension of the array");
    }
    for (const Expr& extent : map.box) KP_TRY_VOID(check_names(extent, integers_, map.spot));
    return {};
  }

  Result<void> check_steps(std::vector<Step>& steps, Phase phase) {
    for (Step& step : steps) {
      if (auto* launch = std::get_if<Launch>(&step)) {
        KP_TRY_VOID(check_launch(*launch, phase));
      } else {
        KP_TRY_VOID(check_zero(std::get<ZeroStep>(step), phase));
      }
    }
    return {};
  }

  Result<void> check_zero(const ZeroStep& zero, Phase phase) const {
    if (plan_.find_buffer(zero.buffer) != nullptr) return {};
    if (!has(known_, zero.buffer)) return unknown("buffer", zero.buffer, zero.spot);
    if (phase == Phase::kPrepare) return check_reach(zero.buffer, zero.spot);
    const Tensor* tensor = declaration_.find(zero.buffer);
    if (tensor != nullptr && tensor->role == TensorRole::kOutput) return {};
    return fail_at(zero.spot, fmt::format("`{}` is neither a buffer nor an output", zero.buffer),
                   "`zero` clears scratch buffers and outputs only");
  }

  Result<void> check_launch(Launch& launch, Phase phase) {
    std::vector<const Dim3Expr*> dims{&launch.grid, &launch.block};
    if (launch.cluster) dims.push_back(&*launch.cluster);
    for (const Dim3Expr* dim : dims) {
      for (const Expr* expr : {&dim->x, &dim->y, &dim->z}) {
        KP_TRY_VOID(check_names(*expr, integers_, launch.spot));
      }
    }
    KP_TRY_VOID(check_names(launch.shared_bytes, integers_, launch.spot));
    for (Argument& argument : launch.arguments) KP_TRY_VOID(check_argument(argument, phase));
    return {};
  }

  Result<void> check_argument(Argument& argument, Phase phase) {
    if (const auto* expr = std::get_if<Expr>(&argument.value)) {
      return check_names(*expr, integers_, argument.spot);
    }
    const auto* name = std::get_if<std::string>(&argument.value);
    if (name == nullptr) return {};
    if (has(integers_, *name)) {
      argument.value = Expr({{Expr::Op::kName, 0, *name}}, *name);
      return {};
    }
    if (!has(known_, *name)) return unknown("argument", *name, argument.spot);
    if (phase == Phase::kPrepare) return check_reach(*name, argument.spot);
    if (phase == Phase::kRun) passed_.push_back(*name);
    return {};
  }

  Result<void> check_reach(const std::string& name, const SourceSpot& spot) const {
    const Tensor* tensor = declaration_.find(name);
    for (const TensorMap& map : plan_.tensor_maps) {
      if (map.name == name) tensor = declaration_.find(map.tensor);
    }
    if (tensor == nullptr || tensor->role == TensorRole::kWeight) return {};
    return fail_at(spot,
                   fmt::format("`prepare` cannot see {} `{}`", name_of(tensor->role), tensor->name),
                   "only weights and scratch buffers are there before the run");
  }

  bool is_passed(const std::string& name) const {
    if (has(passed_, name)) return true;
    return std::any_of(
        plan_.tensor_maps.begin(), plan_.tensor_maps.end(),
        [&](const TensorMap& map) { return map.tensor == name && has(passed_, map.name); });
  }

  Result<void> check_outputs() const {
    for (const Tensor& tensor : declaration_.tensors) {
      if (!is_output(tensor)) continue;
      if (is_passed(tensor.name)) continue;
      return fail_at(plan_.spot,
                     fmt::format("no launch gets {} `{}`", name_of(tensor.role), tensor.name),
                     "pass it to the kernel that writes it");
    }
    return {};
  }

  const Declaration& declaration_;
  Plan& plan_;
  std::vector<std::string> known_;     // every name
  std::vector<std::string> integers_;  // axes and tune parameters
  std::vector<std::string> passed_;    // to a launch of the run
};

}  // namespace

Result<void> check_plan_names(const Declaration& declaration, Plan& plan) {
  return NameCheck(declaration, plan).run();
}

}  // namespace kp::task
