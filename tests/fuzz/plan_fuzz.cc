// SPDX-License-Identifier: Apache-2.0
// Any text as a candidate: reading it must end soon and without a crash, what is read must survive
// printing, and the checks against a task must hold for every plan that parses.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "task/expr_parser.h"
#include "task/task.h"

namespace {

using namespace kp;        // NOLINT
using namespace kp::task;  // NOLINT

constexpr const char* kTask = R"(/* kernelpro
axis n = 4096, m = 64
check n = 67, m = 33
input x : f32[n, m]
weight w : f16[m]
inout s : f32[n]
input eps : f32 = 1e-5
output y : f32[n, m]
launch k<<<n, 32>>>(x, w, s, y, eps, n)
*/)";

Task task_of(const ParsedPlan& parsed, std::string_view source) {
  Task task;
  task.name = "fuzz";
  task.path = "fuzz.cu";
  task.baseline_path = "fuzz.cu";
  task.baseline = std::string(source);
  task.declaration = parsed.declaration;
  task.workloads = parsed.workloads;
  return task;
}

void check_printing(const Plan& plan) {
  const std::string text = print_plan(plan);
  const auto again = parse_plan(text, "printed.cu");
  KP_CHECK(again, "a printed plan must parse");
  KP_CHECK(print_plan(again->plan) == text, "a printed plan must print the same");
}

void check_candidate(const Task& task, const std::string& source) {
  const auto made = make_candidate(task, source, "fuzz.cu");
  if (!made) {
    KP_CHECK(!made.error().message.empty(), "an error must say something");
    return;
  }
  KP_CHECK(made->tune.size() == made->plan.tunes.size(), "every tune parameter has a value");
  const auto choices = tune_choices(task, made->plan, 64);
  if (choices) KP_CHECK(choices->front() == made->tune, "the default choice comes first");
  for (const Workload& workload : task.workloads) {
    Bindings scope = workload.axes;
    scope.insert(made->tune.begin(), made->tune.end());
    for (const Step& step : made->plan.steps) {
      const auto* launch = std::get_if<Launch>(&step);
      if (launch) KP_CHECK(resolve_launch(*launch, scope), "a candidate's launches resolve");
    }
  }
}

void check_source(const std::string& source) {
  const auto parsed = parse_plan(source, "fuzz.cu");
  if (!parsed) {
    KP_CHECK(!parsed.error().message.empty(), "an error must say something");
    return;
  }
  KP_CHECK(replace_plan(source, "fuzz.cu", parsed->plan), "a plan can be replaced by itself");
  // A plan that declares its own task is printed without the declaration, which may then lack axes.
  check_printing(parsed->plan);
  if (parsed->declares_task) check_candidate(task_of(*parsed, source), source);
  static const Task task = task_of(*parse_plan(kTask, "task.cu"), kTask);
  check_candidate(task, source);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_source(text);
  check_source("/* kernelpro\n" + text + "\n*/\n");
  (void)parse_python_expr(text);
  return 0;
}
