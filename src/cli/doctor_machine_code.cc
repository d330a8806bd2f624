// SPDX-License-Identifier: Apache-2.0
#include "build/toolchain.h"
#include "cli/doctor.h"

namespace kp::cli {

void add_machine_code_tools(DoctorLines& lines) {
  const build::InspectionTools tools = build::find_inspection_tools();
  lines.push_back(
      found_or("nvdisasm", tools.nvdisasm, "machine code of candidates",
               "absent: what is in the machine code stays unknown (matrix instructions, "
               "widths, slow paths)\nhint: install the toolkit's package "
               "cuda-nvdisasm"));
  lines.push_back(found_or("cuobjdump", tools.cuobjdump, "machine code of programs",
                           "absent: programs are diagnosed without their machine code\n"
                           "hint: install the toolkit's package cuda-cuobjdump"));
  lines.push_back(found_or("compute-sanitizer", tools.compute_sanitizer,
                           "races and bad addresses on the GPU, for your own use",
                           "absent; not needed: `check` finds these on the virtual GPU\n"
                           "hint: install the toolkit's package cuda-sanitizer"));
}

}  // namespace kp::cli
