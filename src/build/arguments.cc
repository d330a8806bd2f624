// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "build/signature.h"
#include "build/type_names.h"

namespace kp::build {
namespace {

constexpr std::uint32_t kTensorMapBytes = 128;

/// What a name in an argument list stands for.
struct Named {
  const Tensor* tensor = nullptr;
  const ScratchBuffer* buffer = nullptr;
  const TensorMap* map = nullptr;
  bool integer = false;  // an axis or tune parameter
};

/// One argument against one parameter.
class ArgumentCheck {
 public:
  ArgumentCheck(const Task& task, const Candidate& candidate, bool oracle)
      : task_(task), candidate_(candidate), oracle_(oracle) {}

  Result<void> launch(const Launch& launch, const std::vector<KernelSignature>& signatures) {
    const auto signature = std::find_if(
        signatures.begin(), signatures.end(),
        [&](const KernelSignature& candidate) { return candidate.kernel == launch.kernel; });
    if (signature == signatures.end()) return missing(launch, signatures);
    launch_ = &launch;
    if (launch.arguments.size() != signature->parameters.size()) return wrong_count(*signature);
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      number_ = i + 1;
      argument_ = &launch.arguments[i];
      parameter_ = &signature->parameters[i];
      KP_TRY_VOID(std::visit([this](const auto& value) { return check(value); }, argument_->value));
    }
    return {};
  }

 private:
  static tl::unexpected<Error> missing(const Launch& launch,
                                       const std::vector<KernelSignature>& signatures) {
    std::vector<std::string> names;
    for (const KernelSignature& signature : signatures) names.push_back(signature.kernel);
    const auto near = nearest(launch.kernel, names);
    return fail_at(launch.spot, fmt::format("there is no kernel `{}`", launch.kernel),
                   near ? fmt::format("did you mean `{}`?", *near)
                        : "define it as `extern \"C\" __global__ void`");
  }

  tl::unexpected<Error> wrong_count(const KernelSignature& signature) const {
    const std::size_t given = launch_->arguments.size(), wanted = signature.parameters.size();
    const SourceSpot& spot = given > wanted ? launch_->arguments[wanted].spot : launch_->spot;
    std::vector<std::string> parts;
    for (const KernelParameter& parameter : signature.parameters)
      parts.push_back(spelled(parameter));
    return fail_at(
        spot,
        fmt::format("`{}` takes {} arguments, the launch gives {}", launch_->kernel, wanted, given),
        fmt::format("its parameters are ({})", join(parts, ", ")));
  }

  static std::string spelled(const KernelParameter& parameter) {
    const std::string type = parameter.type.empty() ? "?" : parameter.type;
    return parameter.name.empty() ? type : type + " " + parameter.name;
  }

  tl::unexpected<Error> wrong(std::string_view given, std::string hint) const {
    return fail_at(argument_->spot,
                   fmt::format("argument {} of `{}` is {}, but the parameter is `{}`", number_,
                               launch_->kernel, given, spelled(*parameter_)),
                   std::move(hint));
  }

  Named resolve(const std::string& name) const {
    Named named;
    named.tensor = task_.declaration.find(name);
    named.buffer = candidate_.plan.find_buffer(name);
    for (const TensorMap& map : candidate_.plan.tensor_maps) {
      if (map.name == name) named.map = &map;
    }
    const auto& axes = task_.declaration.axes;
    named.integer =
        std::find(axes.begin(), axes.end(), name) != axes.end() || candidate_.tune.contains(name);
    return named;
  }

  Result<void> check(const std::string& name) const {
    const Named named = resolve(name);
    if (named.tensor != nullptr) {
      return named.tensor->shape.empty() ? check_scalar(*named.tensor)
                                         : check_tensor(*named.tensor);
    }
    if (named.buffer != nullptr) return check_pointer("buffer", name, named.buffer->dtype);
    if (named.map != nullptr) return check_map(name);
    if (named.integer) return check_integer(fmt::format("the integer `{}`", name));
    return wrong(fmt::format("`{}`, which is not declared", name),
                 "name a tensor, buffer, tensormap, scalar, axis or tune parameter");
  }

  Result<void> check(const Expr& expr) const {
    return check_integer(fmt::format("the integer `{}`", expr.text()));
  }

  Result<void> check(double value) const {
    const bool real = !parameter_->pointer && parameter_->lanes == 1 &&
                      (parameter_->element == DType::kF32 || parameter_->element == DType::kF64);
    if (real) return {};
    return wrong(fmt::format("the number {}", value), "declare the parameter `float` or `double`");
  }

  Result<void> check_tensor(const Tensor& tensor) const {
    // Oracle kernels see floating tensors in double.
    const DType dtype = oracle_ && is_floating(tensor.dtype) ? DType::kF64 : tensor.dtype;
    KP_TRY_VOID(check_pointer(name_of(tensor.role), tensor.name, dtype));
    const bool read_only = tensor.role == TensorRole::kInput || tensor.role == TensorRole::kWeight;
    if (!read_only || parameter_->constant || parameter_->type.empty()) return {};
    return wrong(
        fmt::format("the {} `{}`, which must not be written", name_of(tensor.role), tensor.name),
        fmt::format("declare the parameter `const {}`", parameter_->type));
  }

  Result<void> check_pointer(std::string_view role, const std::string& name, DType dtype) const {
    const std::string given = fmt::format("the {} `{}` of {}", role, name, name_of(dtype));
    const std::string hint =
        fmt::format("declare the parameter as a pointer to {}", spellings_of(dtype));
    const bool unread =
        parameter_->type.empty();  // the reader did not find it: only its size is known
    if (unread ? parameter_->bytes != 8 : !parameter_->pointer) return wrong(given, hint);
    // void and types of the author's own are views of bytes; what they do is checked on values.
    if (!parameter_->element) return {};
    if (may_view({*parameter_->element, parameter_->lanes}, dtype)) return {};
    return wrong(given, hint);
  }

  Result<void> check_scalar(const Tensor& scalar) const {
    const bool fits = !parameter_->pointer && parameter_->lanes == 1 &&
                      (parameter_->element == scalar.dtype ||
                       (is_floating(scalar.dtype) && parameter_->element == DType::kF64));
    if (fits) return {};
    return wrong(fmt::format("the scalar `{}` of {}", scalar.name, name_of(scalar.dtype)),
                 "scalars are passed by value in their own type");
  }

  Result<void> check_map(const std::string& name) const {
    if (!parameter_->pointer && parameter_->bytes == kTensorMapBytes) return {};
    return wrong(fmt::format("the tensormap `{}`", name),
                 "declare the parameter `const __grid_constant__ CUtensorMap`");
  }

  Result<void> check_integer(const std::string& given) const {
    const bool fits = !parameter_->pointer && parameter_->lanes == 1 && parameter_->element &&
                      !is_floating(*parameter_->element) && size_of(*parameter_->element) >= 4;
    if (fits) return {};
    return wrong(given, "declare the parameter as a 32- or 64-bit integer");
  }

  const Task& task_;
  const Candidate& candidate_;
  bool oracle_;
  const Launch* launch_ = nullptr;
  const Argument* argument_ = nullptr;
  const KernelParameter* parameter_ = nullptr;
  std::size_t number_ = 0;
};

}  // namespace

Result<void> check_arguments(const Task& task, const Candidate& candidate,
                             const std::vector<KernelSignature>& signatures) {
  const Plan& plan = candidate.plan;
  for (const auto* steps : {&plan.prepare, &plan.steps, &plan.oracle}) {
    ArgumentCheck check(task, candidate, steps == &plan.oracle);
    for (const Step& step : *steps) {
      if (const auto* launch = std::get_if<Launch>(&step))
        KP_TRY_VOID(check.launch(*launch, signatures));
    }
  }
  return {};
}

}  // namespace kp::build
