// SPDX-License-Identifier: Apache-2.0
// What an export of Nsight Systems holds, read table by table. Tables come into being with their
// first row, and columns with newer versions, so each is looked for first. Used by nsys.cc.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/sqlite.h"
#include "profile/timeline.h"

namespace kp::profile {

struct NsysKernel {
  std::string name;  // demangled
  Interval when;
  std::array<std::int64_t, 3> grid{}, block{};
  std::int64_t registers = 0;
  std::int64_t shared = 0;  // bytes, static and dynamic
};

/// kInvalidInput when `database` has none of the tables that an export has.
Result<void> check_export(Sqlite& database);
Result<std::vector<NsysKernel>> read_kernels(Sqlite& database);
/// Work other than kernels, calls of the host, and the range that the user marked.
Result<Activity> read_activity(Sqlite& database);
/// Product name and architecture ("sm_90") of the first GPU; empty where the export does not say.
struct NsysGpu {
  std::string product, architecture;
};
Result<NsysGpu> read_gpu(Sqlite& database);

/// What a call of the CUDA runtime or driver means for a timeline, by its name as recorded:
/// "cudaLaunchKernel_v7000".
std::optional<HostCall::Kind> kind_of_call(std::string_view name);

/// The range of NVTX that marks the steady state, by its text.
inline constexpr std::string_view kMarkedRange = "kernelpro";

}  // namespace kp::profile
