// SPDX-License-Identifier: Apache-2.0
// Any text as definition.json (before the first line that is `---`) and workload.jsonl (behind it):
// reading ends with a task whose shapes have sizes, or with an error that says where.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "task/task.h"

namespace {

using namespace kp;  // NOLINT

constexpr std::string_view kBetween = "\n---\n";

Result<Task> task_of(std::string_view text, const Path& folder) {
  const std::size_t at = std::min(text.find(kBetween), text.size());
  const std::string_view rest = text.substr(std::min(at + kBetween.size(), text.size()));
  KP_TRY_VOID(write_file(folder / "definition.json", text.substr(0, at)));
  KP_TRY_VOID(write_file(folder / "workload.jsonl", rest));
  KP_TRY_VOID(write_file(folder / "reference.cc", ""));
  return task::read_task(folder);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto folder = TemporaryFolder::make();
  KP_CHECK(folder, "a folder to write to");
  const auto task = task_of({reinterpret_cast<const char*>(data), size}, folder->path());
  if (!task) {
    KP_CHECK(!task.error().message.empty(), "an error must say something");
    return 0;
  }
  KP_CHECK(!task->workloads.empty(), "a task has workloads");
  for (const Workload& workload : task->workloads) {
    for (const Tensor& tensor : task->declaration.tensors)
      KP_CHECK(element_count(tensor.shape, workload.axes), "every tensor has a size");
  }
  return 0;
}
