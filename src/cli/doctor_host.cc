// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/child.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/doctor.h"
#include "model/device_spec.h"

namespace kp::cli {
namespace {

DoctorLine pytorch() {
  constexpr const char* kScript =
      "import torch; print(torch.__version__, 'for CUDA', torch.version.cuda, 'and sees a GPU' if "
      "torch.cuda.is_available() else 'and sees no GPU')";
  const std::string gives = "only comparisons with PyTorch need it";
  const auto exit = run_child({.command = {"python3", "-c", kScript},
                               .inherit_environment = true,
                               .deadline = std::chrono::seconds(30)});
  if (exit && exit->ok())
    return {"PyTorch", true, fmt::format("{}; {}", trim(exit->output), gives)};
  if (exit && exit->timed_out)
    return {"PyTorch", false, fmt::format("did not start in 30 s; {}", gives)};
  return {"PyTorch", false, fmt::format("absent; {}\nhint: pip install torch", gives)};
}

}  // namespace

void add_host(DoctorLines& lines) {
  lines.push_back(pytorch());
  lines.push_back(found_or("npm", find_program("npm").value_or(Path()), "",
                           "absent; not needed here: only a build of KernelPro from source asks "
                           "for it"));
  lines.push_back({"cores", true, fmt::format("{}", available_cores())});
  const auto home = installation_folder();
  lines.push_back({"installation", home.has_value(), home ? home->string() : home.error().text()});
}

}  // namespace kp::cli
