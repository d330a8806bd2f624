// SPDX-License-Identifier: Apache-2.0
#include "draft/draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "draft/tensor_draft.h"
#include "task/task.h"

namespace kp::draft {
namespace {

// Extents where the file names none: large enough to time, small enough for any device.
constexpr std::int64_t kLineExtent = 1 << 22, kPlaneExtent = 2048, kSpaceExtent = 256;

std::string_view statement_of(TensorDraft::Role role) {
  switch (role) {
    case TensorDraft::Role::kInput:
      return "input ";
    case TensorDraft::Role::kInOut:
      return "inout ";
    case TensorDraft::Role::kOutput:
      return "output";
    default:
      return "buffer";
  }
}

class Writer {
 public:
  Writer(const Request& request, const HostProgram& host, std::vector<LaunchDraft> launches,
         Draft& draft)
      : request_(request), host_(host), launches_(std::move(launches)), draft_(draft) {
    fix_blocks();
    set_ = tensors_of(launches_, host_, draft_.questions);
    collect_axes();
  }

  std::string plan() {
    std::string text = "/* kernelpro\n";
    for (const std::string& axis : axes_)
      text += fmt::format("axis   {} = {}\n", axis, value_of(axis));
    for (const TensorDraft& tensor : set_.tensors) text += line_of(tensor);
    for (const std::string& scalar : scalars_) text += scalar;
    for (const TensorDraft& tensor : set_.tensors) {
      if (tensor.cleared) text += fmt::format("zero   {}\n", tensor.name);
    }
    for (const LaunchDraft& launch : launches_) text += line_of(launch);
    return text + "*/\n";
  }

 private:
  /// Block sizes are numbers, not extents: a name that stands in one is replaced by its constant
  /// everywhere in the launch.
  void fix_blocks() {
    for (LaunchDraft& launch : launches_) {
      std::set<std::string> fixed = launch.shared.names();
      for (const Polynomial* extent : {&launch.block.x, &launch.block.y, &launch.block.z})
        fixed.merge(extent->names());
      for (const std::string& name : fixed) {
        const auto value = host_.value_of(name);
        if (!value) continue;
        for (Polynomial* part : {&launch.block.x, &launch.block.y, &launch.block.z, &launch.grid.x,
                                 &launch.grid.y, &launch.grid.z, &launch.shared})
          *part = rebuilt(*part, name, *value);
      }
    }
  }

  /// A quotient keeps its divisor as text, so it is put together again.
  static Polynomial rebuilt(const Polynomial& extent, const std::string& name, std::int64_t value) {
    const Polynomial put = extent.with(name, value);
    if (put.names().count(name) == 0) return put;
    std::string text = put.text();
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
      const auto part_of_name = [&text](std::size_t i) {
        return i < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
      };
      const bool whole = (at == 0 || !part_of_name(at - 1)) && !part_of_name(at + name.size());
      const std::string digits = std::to_string(value);
      if (whole) text.replace(at, name.size(), digits);
      at += whole ? digits.size() : name.size();
    }
    std::set<std::string> names = put.names();
    names.erase(name);
    return Polynomial::atom(text, names);
  }

  void need(const Polynomial& extent) {
    for (const std::string& name : extent.names()) {
      if (std::find(axes_.begin(), axes_.end(), name) == axes_.end()) axes_.push_back(name);
    }
  }

  void collect_axes() {
    for (const LaunchDraft& launch : launches_) {
      for (const BoundParameter& bound : launch.parameters) {
        if (bound.extent) need(*bound.extent);
        if (bound.extent && bound.number)
          known_[bound.parameter.name] = static_cast<std::int64_t>(*bound.number);
        if (!bound.extent && !bound.parameter.pointer) add_scalar(bound);
      }
      for (const Dims* dims : {&launch.grid, &launch.block}) {
        for (const Polynomial* extent : {&dims->x, &dims->y, &dims->z}) need(*extent);
      }
      need(launch.shared);
    }
    for (const TensorDraft& tensor : set_.tensors) need(tensor.elements);
  }

  void add_scalar(const BoundParameter& bound) {
    const build::KernelParameter& parameter = bound.parameter;
    if (!bound.number) {
      draft_.questions.push_back(
          {"scalar " + parameter.name, "the file does not say what value it has", "1.0"});
    }
    const std::string line = fmt::format("input  {} : {} = {}\n", parameter.name,
                                         name_of(*parameter.element), bound.number.value_or(1.0));
    if (std::find(scalars_.begin(), scalars_.end(), line) == scalars_.end())
      scalars_.push_back(line);
  }

  std::int64_t value_of(const std::string& axis) {
    if (const auto answer = request_.axes.find(axis); answer != request_.axes.end())
      return answer->second;
    if (const auto known = known_.find(axis); known != known_.end() && known->second > 0)
      return known->second;
    if (const auto value = host_.value_of(axis); value && *value > 0) return *value;
    const std::int64_t assumed = axes_.size() == 1   ? kLineExtent
                                 : axes_.size() == 2 ? kPlaneExtent
                                                     : kSpaceExtent;
    draft_.questions.push_back(
        {"axis " + axis, "the file does not say how large it is", std::to_string(assumed)});
    return assumed;
  }

  std::string line_of(const TensorDraft& tensor) const {
    std::string fill;
    if (tensor.role == TensorDraft::Role::kInput || tensor.role == TensorDraft::Role::kInOut) {
      for (const TensorDraft& other : set_.tensors) {
        if (!tensor.indexes.empty() && other.key == tensor.indexes)
          fill = fmt::format(" ~ int(0, {})", (other.elements - 1).text());
      }
    }
    return fmt::format("{} {} : {}[{}]{}\n", statement_of(tensor.role), tensor.name,
                       name_of(tensor.element), tensor.elements.text(), fill);
  }

  std::string line_of(const LaunchDraft& launch) const {
    std::vector<std::string> arguments;
    for (const BoundParameter& bound : launch.parameters) {
      if (bound.parameter.pointer) {
        arguments.push_back(set_.of(launch, bound).name);
      } else {
        arguments.push_back(bound.extent ? bound.extent->text() : bound.parameter.name);
      }
    }
    const bool dynamic = launch.shared.constant() != 0;
    return fmt::format("launch {}<<<{}, {}{}>>>({})\n", launch.instance.name(),
                       to_text(launch.grid), to_text(launch.block),
                       dynamic ? ", " + launch.shared.text() : "", fmt::join(arguments, ", "));
  }

  const Request& request_;
  const HostProgram& host_;
  std::vector<LaunchDraft> launches_;
  Draft& draft_;
  TensorSet set_;
  std::vector<std::string> axes_, scalars_;
  std::map<std::string, std::int64_t> known_;
};

void ask_about_work(Draft& draft) {
  draft.questions.push_back(
      {"work",
       "how many floating-point operations the result needs; without it bytes are the only bound",
       "unknown; a line like `work flops = 2 * n` says it"});
}

}  // namespace

Result<Draft> draft_task(const Request& request) {
  if (task::find_plan(request.source, request.file)) {
    return fail(ErrorCode::kInvalidInput, request.file + " has a plan already",
                "use it as a task: kernelpro optimize " + request.file);
  }
  const SourceTree tree(request.source);
  const HostProgram host(tree);
  Draft draft;
  KP_TRY(auto launches, launches_of(request, tree, host, draft.questions));
  std::vector<Instance> instances;
  for (const LaunchDraft& launch : launches) {
    instances.push_back(launch.instance);
    draft.kernels.push_back(launch.instance.name());
  }
  DeviceText device = device_text(tree, instances);
  for (const std::string& header : device.dropped_headers) {
    draft.questions.push_back({"header " + header,
                               "a candidate is one file: what it needs of this "
                               "header has to stand in it",
                               "left out"});
  }
  KP_TRY_VOID(bind_parameters(tree, host, device.source, request, launches));
  const std::string plan = Writer(request, host, std::move(launches), draft).plan();
  ask_about_work(draft);
  draft.source = plan + device.source;
  return draft;
}

}  // namespace kp::draft
