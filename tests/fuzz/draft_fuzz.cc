// SPDX-License-Identifier: Apache-2.0
// Any text as a CUDA file to draft a task from: it must end soon and without a crash, and what is
// drafted must hold a plan.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "draft/draft.h"
#include "task/task.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto draft = kp::draft::draft_task({text, "fuzz.cu", "", {}});
  if (!draft) {
    KP_CHECK(!draft.error().message.empty(), "an error must say something");
    return 0;
  }
  KP_CHECK(!draft->kernels.empty(), "a draft has kernels");
  KP_CHECK(kp::task::find_plan(draft->source, "fuzz.cu"), "a draft has a plan");
  return 0;
}
