// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/worker/dispatch.h"

#include <array>
#include <string_view>

#include "device/cuda/members.h"
#include "device/cuda/worker/counters.h"
#include "device/cuda/worker/verbs.h"

namespace kp::device::cuda {
namespace {

Answer count_launches(Executor& executor, const Frame& request) {
  KP_OR_FAULT(nlohmann::json counted, count(executor, request.body));
  return Frame{std::move(counted), {}};
}

struct Named {
  std::string_view name;
  Verb verb;
};
constexpr std::array kVerbs{
    Named{"open", open_gpu}, Named{"allocate", allocate}, Named{"map", map},
    Named{"unmap", unmap},   Named{"load", load},         Named{"unload", unload},
    Named{"write", write},   Named{"read", read},         Named{"run", run},
    Named{"series", series}, Named{"times", times},       Named{"count", count_launches},
    Named{"probe", probe},   Named{"trace", trace},
};

Answer carry_out(Executor& executor, std::string_view name, const Frame& request) {
  for (const Named& known : kVerbs) {
    if (known.name != name) continue;
    if ((executor.gpu >= 0) == (known.verb == open_gpu))
      return refusal(CUDA_ERROR_NOT_INITIALIZED, "`open` comes first, and once");
    return known.verb(executor, request);
  }
  return refusal(CUDA_ERROR_INVALID_VALUE, "no such verb");
}

nlohmann::json to_json(const Fault& fault) {
  return {{"code", fault.code}, {"name", fault.name}, {"phase", fault.phase}, {"step", fault.step}};
}

/// An error that stays: nothing works in this context any more.
bool lost(const Executor& executor) {
  return executor.context != nullptr && executor.driver.cuCtxSynchronize() != CUDA_SUCCESS;
}

}  // namespace

Dispatched dispatch(Executor& executor, const Frame& request) {
  const std::string name = text_member(request.body, "do").value_or(std::string());
  Answer answer = carry_out(executor, name, request);
  if (answer) {
    answer->body["ok"] = true;
    return {*std::move(answer), false};
  }
  if (answer.error().phase.empty()) answer.error().phase = name;
  nlohmann::json body = {{"ok", false}, {"fault", to_json(answer.error())}};
  if (answer.error().guilty >= 0) body["guilty"] = answer.error().guilty;
  return {Frame{std::move(body), {}}, lost(executor)};
}

}  // namespace kp::device::cuda
