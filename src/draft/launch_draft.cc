// SPDX-License-Identifier: Apache-2.0
#include "draft/launch_draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "build/tokens.h"

namespace kp::draft {
namespace {

constexpr std::int64_t kLineBlock = 256, kPlaneBlock = 16;  // threads; the usual choices
constexpr int kSizeOfTypeName = 64;

SyntaxNode find_kernel(const SourceTree& tree, const std::string& name) {
  for (const SyntaxNode& kernel : tree.kernels()) {
    if (kernel_name(kernel) == name) return kernel;
  }
  return {};
}

/// The names that the body compares an index with: "i < n" gives n.
std::vector<std::string> guards_of(const SourceTree& tree, const SyntaxNode& kernel,
                                   std::string_view axis) {
  std::vector<std::string> bounds;
  for (const SyntaxNode& local : tree.all(kernel, "init_declarator")) {
    const std::string builtin = "threadIdx." + std::string(axis);
    if (local.field("value").text().find(builtin) == std::string_view::npos) continue;
    const auto names = tree.all(local, "identifier");
    if (names.empty()) continue;
    const std::string_view name = names.front().text();
    for (const SyntaxNode& condition : tree.all(kernel, "binary_expression")) {
      const std::string_view sign = operator_of(condition);
      if (condition.field("left").text() == name && (sign == "<" || sign == ">="))
        bounds.emplace_back(condition.field("right").text());
    }
  }
  return bounds;
}

Polynomial extent_along(const SourceTree& tree, const SyntaxNode& kernel, std::string_view axis) {
  for (const std::string& bound : guards_of(tree, kernel, axis)) {
    if (build::is_identifier(bound)) return Polynomial::name(bound);
  }
  return Polynomial::name("n");
}

/// Grid and block where the file has no launch: one thread for each index.
void assume_shape(const SourceTree& tree, const SyntaxNode& kernel, LaunchDraft& launch) {
  const std::string_view body = kernel.field("body").text();
  if (body.find("threadIdx.y") == std::string_view::npos) {
    launch.block.x = kLineBlock;
    launch.grid.x = (extent_along(tree, kernel, "x") + kLineBlock - 1) / kLineBlock;
    return;
  }
  launch.block = {kPlaneBlock, kPlaneBlock, 1};
  launch.grid.x = (extent_along(tree, kernel, "x") + kPlaneBlock - 1) / kPlaneBlock;
  launch.grid.y = (extent_along(tree, kernel, "y") + kPlaneBlock - 1) / kPlaneBlock;
}

/// Template arguments where the launch does not say: float for types, 256 for numbers.
void complete_types(const SourceTree& tree, const SyntaxNode& kernel, Instance& instance,
                    std::vector<Question>& questions) {
  const auto names = template_parameters(tree, kernel);
  const auto parameters = kernel.parent().field("parameters").children();
  for (std::size_t i = instance.types.size(); i < names.size(); ++i) {
    const bool type = parameters[i].type() == "type_parameter_declaration";
    instance.types.emplace_back(type ? "float" : "256");
    questions.push_back({"kernel " + instance.kernel,
                         "the launch does not say what template parameter " + names[i] + " is",
                         instance.types.back()});
  }
}

LaunchDraft draft_of(const SourceTree& tree, const SyntaxNode& kernel, const HostLaunch* found,
                     std::vector<Question>& questions) {
  LaunchDraft launch;
  launch.instance.kernel = kernel_name(kernel);
  if (found != nullptr) {
    launch.instance.types = found->types;
    launch.line = found->line;
    launch.shared = found->shared;
  }
  complete_types(tree, kernel, launch.instance, questions);
  if (found != nullptr && found->grid && found->block) {
    launch.grid = *found->grid;
    launch.block = *found->block;
    return launch;
  }
  assume_shape(tree, kernel, launch);
  questions.push_back({"launch " + launch.instance.name(),
                       found == nullptr ? "the file launches it nowhere: grid and block are a guess"
                                        : "its grid or block could not be read",
                       fmt::format("<<<{}, {}>>>", to_text(launch.grid), to_text(launch.block))});
  return launch;
}

/// Replaces the kernel's own names in `extent` by what the launch gives them.
std::optional<Polynomial> at_launch(std::optional<Polynomial> extent, const LaunchDraft& launch) {
  if (!extent) return {};
  const auto put = [&extent](const std::string& name, const Polynomial& value) {
    if (extent->names().count(name) > 0) extent = extent->with(name, value);
  };
  for (const auto& [name, dims] :
       {std::pair{"gridDim", &launch.grid}, {"blockDim", &launch.block}}) {
    put(std::string(name) + ".x", dims->x);
    put(std::string(name) + ".y", dims->y);
    put(std::string(name) + ".z", dims->z);
  }
  for (const BoundParameter& bound : launch.parameters) {
    if (bound.extent) put(bound.parameter.name, *bound.extent);
  }
  for (const std::string& name : extent->names()) {
    if (name.find('.') != std::string::npos) return {};
  }
  return extent;
}

void bind_argument(const HostProgram& host, const SyntaxNode* argument, BoundParameter& bound) {
  const build::KernelParameter& parameter = bound.parameter;
  if (parameter.pointer) {
    if (argument != nullptr) bound.host_pointer = pointer_name(*argument);
  } else if (parameter.element && !is_floating(*parameter.element)) {
    const auto size = argument != nullptr ? host.size_of(*argument) : std::nullopt;
    const bool named = size && !size->constant();
    bound.extent = named ? *size : Polynomial::name(parameter.name);
    if (size && size->constant()) bound.number = static_cast<double>(*size->constant());
  } else if (argument != nullptr) {
    bound.number = host.number_of(*argument);
  }
}

Result<void> check_type(const Request& request, const build::KernelSignature& signature,
                        const build::KernelParameter& parameter) {
  if (parameter.element && !parameter.name.empty()) return {};
  return fail_at(signature.spot,
                 fmt::format("parameter `{} {}` of {} in {} is nothing that a plan can pass",
                             parameter.type.substr(0, kSizeOfTypeName), parameter.name,
                             signature.kernel, request.file),
                 "give the kernel pointers to numbers, integers and floating-point values; "
                 "pass the members of a struct one by one");
}

const HostLaunch* host_launch(const HostProgram& host, const LaunchDraft& launch) {
  for (const HostLaunch& found : host.launches()) {
    if (found.line == launch.line && found.kernel == launch.instance.kernel) return &found;
  }
  return nullptr;
}

Result<void> bind_one(const SourceTree& tree, const HostProgram& host, const Request& request,
                      const build::KernelSignature& signature, LaunchDraft& launch) {
  const HostLaunch* found = host_launch(host, launch);
  const bool fits = found != nullptr && found->arguments.size() == signature.parameters.size();
  std::vector<std::string> pointers;
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    const build::KernelParameter& parameter = signature.parameters[i];
    KP_TRY_VOID(check_type(request, signature, parameter));
    BoundParameter& bound = launch.parameters.emplace_back();
    bound.parameter = parameter;
    bind_argument(host, fits ? &found->arguments[i] : nullptr, bound);
    if (parameter.pointer) pointers.push_back(parameter.name);
  }
  auto uses = pointer_uses(tree, find_kernel(tree, launch.instance.kernel), pointers);
  for (BoundParameter& bound : launch.parameters) {
    if (!bound.parameter.pointer) continue;
    bound.use = std::move(uses[bound.parameter.name]);
    bound.use.elements = at_launch(bound.use.elements, launch);
  }
  return {};
}

}  // namespace

Result<std::vector<LaunchDraft>> launches_of(const Request& request, const SourceTree& tree,
                                             const HostProgram& host,
                                             std::vector<Question>& questions) {
  std::vector<LaunchDraft> launches;
  const auto known = [&launches](const std::string& kernel) {
    return std::any_of(launches.begin(), launches.end(), [&kernel](const LaunchDraft& launch) {
      return launch.instance.kernel == kernel;
    });
  };
  for (const HostLaunch& found : host.launches()) {
    const bool wanted = request.kernel.empty() || found.kernel == request.kernel;
    const SyntaxNode kernel = find_kernel(tree, found.kernel);
    if (wanted && kernel.valid() && !known(found.kernel))
      launches.push_back(draft_of(tree, kernel, &found, questions));
  }
  if (!launches.empty()) return launches;
  for (const SyntaxNode& kernel : tree.kernels()) {
    if (!request.kernel.empty() && kernel_name(kernel) != request.kernel) continue;
    launches.push_back(draft_of(tree, kernel, nullptr, questions));
    return launches;
  }
  if (request.kernel.empty()) {
    return fail(ErrorCode::kNotFound, request.file + " has no __global__ function",
                "name a CUDA file that holds a kernel");
  }
  return fail(ErrorCode::kNotFound, "no kernel of " + request.file + " is called " + request.kernel,
              "leave --kernel away to draft every kernel that the file launches");
}

Result<void> bind_parameters(const SourceTree& tree, const HostProgram& host,
                             const std::string& device_source, const Request& request,
                             std::vector<LaunchDraft>& launches) {
  const auto signatures = build::declared_signatures(device_source, request.file);
  for (LaunchDraft& launch : launches) {
    const auto signature = std::find_if(
        signatures.begin(), signatures.end(),
        [&](const auto& candidate) { return candidate.kernel == launch.instance.name(); });
    if (signature == signatures.end()) {
      return fail(ErrorCode::kInvalidInput,
                  "the signature of " + launch.instance.kernel + " cannot be read",
                  "write it without macros, as `__global__ void name(type name, ...)`");
    }
    KP_TRY_VOID(bind_one(tree, host, request, *signature, launch));
  }
  return {};
}

}  // namespace kp::draft
