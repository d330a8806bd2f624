// SPDX-License-Identifier: Apache-2.0
#include "build/toolchain.h"
#include "cli/doctor.h"

namespace kp::cli {

void add_compilers(DoctorLines& lines) {
  const auto toolchain = build::find_toolchain();
  lines.push_back({"compiler", toolchain.has_value(),
                   toolchain ? build::describe(*toolchain) : toolchain.error().text()});
  if (!toolchain) return;
  lines.push_back(found_or("nvcc", toolchain->nvcc, "",
                           "absent; rarely missed: NVRTC compiles all but kernels that include "
                           "headers of the host\nhint: install the toolkit's package cuda-nvcc"));
  lines.push_back(found_or("host compiler", toolchain->host_compiler, "",
                           "absent; tasks with a reference.cc need one\nhint: install g++"));
}

}  // namespace kp::cli
