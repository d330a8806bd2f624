// SPDX-License-Identifier: Apache-2.0
#include "task/python_problem.h"

#include <fmt/format.h>

#include "model/device_spec.h"
#include "task/declaration.h"
#include "task/problem_axes.h"
#include "task/problem_values.h"
#include "task/reader.h"
#include "task/task.h"

namespace kp::task {
namespace {

constexpr std::int64_t kProbeFactor = 2;  // what a constant is multiplied by, alone

tl::unexpected<Error> refused(const Path& path, std::string why, std::string hint) {
  return fail_at({path.string(), 0, 0}, std::move(why), std::move(hint));
}

/// Python numbers travel with the launch.
Result<DType> dtype_of(const torch::Member& member, const Path& path) {
  if (member.dtype == "float") return DType::kF32;
  if (member.dtype == "int") return DType::kI32;
  if (const auto type = dtype_from(member.dtype)) return *type;
  return refused(path, fmt::format("`{}` is a tensor of {}", member.name, member.dtype),
                 "kernels here take floating-point numbers of 64 to 8 bits, integers and bool");
}

/// At every size, not just at that of a sample.
bool is_square(const Tensor& tensor) {
  const std::size_t rank = tensor.shape.size();
  return rank >= 2 && tensor.shape[rank - 1].text() == tensor.shape[rank - 2].text();
}

class Reading {
 public:
  Reading(torch::Worker& worker, const Path& path) : worker_(worker), path_(path) {}

  Result<Task> task() {
    KP_TRY(problem_, worker_.load(path_));
    KP_TRY(sizes_, find_sizes(worker_, problem_));
    KP_TRY(sample_, sample());
    KP_TRY(axes_, ProblemAxes::find(compared()));
    task_.name = path_.stem().string();
    task_.path = path_;
    task_.description = fmt::format("{} of {}", problem_.name, path_.filename().string());
    task_.reference = problem_.text;
    task_.oracle = {Oracle::Kind::kTorch, path_, {}};
    KP_TRY_VOID(declare());
    KP_TRY_VOID(add_workloads());
    KP_TRY_VOID(check_declaration(task_.declaration, {path_.string(), 0, 0}));
    for (const Workload& workload : task_.workloads)
      KP_TRY_VOID(check_sizes(task_.declaration, workload));
    KP_TRY_VOID(find_baseline());
    return std::move(task_);
  }

 private:
  /// The smallest check with values; what no output depends on is no part of the task.
  Result<ProblemSample> sample() {
    const ProblemSize& small = sizes_.checks.front();
    KP_TRY(torch::Description seen, worker_.probe({problem_.number, small.constants, true}));
    if (seen.random)
      return refused(path_, "its outputs change from run to run: something in it is random",
                     "no kernel can match a dropout mask; use the model in evaluation mode or "
                     "leave the dropout out");
    drop_unused(seen.unused);
    std::erase_if(seen.weights, [&](const torch::Member& weight) {
      return std::find(seen.unused.begin(), seen.unused.end(), weight.name) != seen.unused.end();
    });
    KP_TRY(Structures structures, find_structures(worker_, problem_.number, small.constants, seen));
    return ProblemSample{
        {small.constants, std::move(seen)}, problem_.number, std::move(structures)};
  }

  void drop_unused(const std::vector<std::string>& unused) {
    std::vector<ProblemSize*> all{&sizes_.original};
    if (sizes_.timed) all.push_back(&*sizes_.timed);
    for (ProblemSize& check : sizes_.checks) all.push_back(&check);
    for (ProblemSize* size : all) {
      std::erase_if(size->description.weights, [&](const torch::Member& weight) {
        return std::find(unused.begin(), unused.end(), weight.name) != unused.end();
      });
    }
    unused_ = unused;
  }

  /// The sizes of the workloads, then sizes that differ from the smallest in one constant.
  std::vector<ProblemSize> compared() {
    std::vector<ProblemSize> all{sizes_.original};
    if (sizes_.timed) all.push_back(*sizes_.timed);
    all.insert(all.end(), sizes_.checks.begin(), sizes_.checks.end());
    const torch::Constants base = sizes_.checks.front().constants;
    for (const auto& [name, value] : base) {
      if (problem_.constants.at(name) <= kLargestForm) continue;
      torch::Constants other = base;
      other[name] = value * kProbeFactor;
      auto seen = worker_.probe({problem_.number, other, false});
      if (!seen) continue;  // it must agree with another constant
      std::erase_if(seen->weights, [&](const torch::Member& weight) {
        return std::find(unused_.begin(), unused_.end(), weight.name) != unused_.end();
      });
      all.push_back({std::move(other), *std::move(seen)});
    }
    return all;
  }

  Result<void> declare() {
    Declaration& declaration = task_.declaration;
    declaration.axes = axes_.names();
    const torch::Description& seen = sample_.size.description;
    std::size_t number = 0;
    for (const torch::Member& input : seen.inputs)
      KP_TRY_VOID(add_tensor(input, TensorRole::kInput, number++));
    for (const torch::Member& weight : seen.weights)
      KP_TRY_VOID(add_tensor(weight, TensorRole::kWeight, number++));
    for (const torch::Member& output : seen.outputs)
      KP_TRY_VOID(add_tensor(output, TensorRole::kOutput, number++));
    KP_TRY(screened_, screened_values(worker_, sample_));
    for (Tensor& tensor : declaration.tensors) {
      const auto found = screened_.find(tensor.name);
      if (found != screened_.end()) tensor.distribution = found->second;
    }
    declaration.precision = default_precision(declaration);
    declaration.work.contraction =
        seen.contraction_flops.value_or(0) > seen.other_flops.value_or(0);
    return {};
  }

  Result<void> add_tensor(const torch::Member& member, TensorRole role, std::size_t number) {
    Tensor tensor{.name = member.name, .role = role, .spot = {path_.string(), 0, 0}};
    KP_TRY(tensor.dtype, dtype_of(member, path_));
    tensor.shape = axes_.shape(number);
    tensor.scalar = member.number;
    if (const auto found = sample_.structures.find(member.name); found != sample_.structures.end())
      tensor.structure = found->second;
    if (!is_square(tensor) && tensor.structure.form == Structure::Form::kSymmetric)
      tensor.structure.form = Structure::Form::kNone;
    // A tensor of rank 0 is an array of one element; only numbers travel by value.
    if (tensor.shape.empty() && !member.number) tensor.shape = {Expr(1)};
    task_.declaration.tensors.push_back(std::move(tensor));
    return {};
  }

  Result<void> add_workloads() {
    std::size_t number = 0;
    add("screened", WorkloadRole::kTime, sizes_.original, number);
    Workload beside = task_.workloads.back();
    beside.name = "original";
    beside.role = WorkloadRole::kBeside;
    fill(beside, original_values(sample_));
    if (sizes_.timed || sizes_.hardware_only)
      task_.workloads.back().place = beside.place = WorkloadPlace::kHardware;
    if (sizes_.timed) {
      add("reduced", WorkloadRole::kTime, *sizes_.timed, ++number);
      task_.workloads.back().place = WorkloadPlace::kVirtual;
    }
    for (std::size_t i = 0; i < sizes_.checks.size(); ++i)
      add(fmt::format("check {}", i + 1), WorkloadRole::kCheck, sizes_.checks[i], ++number);
    if (sizes_.hardware_only) task_.workloads.back().place = WorkloadPlace::kHardware;
    task_.workloads.push_back(std::move(beside));
    return {};
  }

  void add(std::string name, WorkloadRole role, const ProblemSize& size, std::size_t number) {
    Workload workload{.name = std::move(name), .role = role, .axes = axes_.bindings(number)};
    const torch::Description& seen = size.description;
    if (seen.contraction_flops || seen.other_flops)
      workload.flops = seen.contraction_flops.value_or(0) + seen.other_flops.value_or(0);
    workload.constants = size.constants;
    fill(workload, screened_);
    task_.workloads.push_back(std::move(workload));
  }

  void fill(Workload& workload, const Distributions& how) {
    const std::size_t smallest = sizes_.timed ? 2 : 1;
    workload.distributions =
        within_axes(how, sample_.size.description, axes_.bindings(smallest), workload.axes);
  }

  Result<void> find_baseline() {
    std::vector<Path> places{Path(path_).replace_extension(".cu")};
    if (const auto home = installation_folder())
      places.push_back(*home / "share" / "kernelbench" / path_.parent_path().filename() /
                       (path_.stem().string() + ".cu"));
    std::error_code code;
    for (const Path& place : places) {
      if (!std::filesystem::is_regular_file(place, code)) continue;
      task_.files.push_back({place, path_.stem().string() + ".cu"});
      return begin_from(task_, place);
    }
    return {};
  }

  torch::Worker& worker_;
  const Path& path_;
  torch::Problem problem_;
  ProblemSizes sizes_;
  ProblemSample sample_;
  std::vector<std::string> unused_;
  ProblemAxes axes_;
  Distributions screened_;
  Task task_;
};

}  // namespace

Result<Task> read_python_problem(torch::Worker& worker, const Path& path) {
  return Reading(worker, path).task();
}

}  // namespace kp::task
