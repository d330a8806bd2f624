// SPDX-License-Identifier: Apache-2.0
// Tables and columns as in "Nsight Systems User Guide", SQLite schema reference.
#include "profile/nsys_tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace kp::profile {
namespace {

constexpr const char* kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr const char* kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr const char* kFills = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr const char* kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr const char* kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr const char* kGpus = "TARGET_INFO_GPU";
constexpr const char* kRanges = "NVTX_EVENTS";

/// Empty: there is no such table.
Result<std::vector<std::string>> columns_of(Sqlite& database, const char* table) {
  KP_TRY(auto rows, database.prepare(fmt::format("PRAGMA table_info({})", table)));
  std::vector<std::string> columns;
  while (true) {
    KP_TRY(const bool row, rows.step());
    if (!row) return columns;
    columns.push_back(rows.text(1));
  }
}

bool has(const std::vector<std::string>& columns, std::string_view column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

/// Calls `read` with each row of `sql`; nothing when `table` is absent.
template <class Read>
Result<void> each_row(Sqlite& database, const char* table, const std::string& sql, Read read) {
  KP_TRY(const auto columns, columns_of(database, table));
  if (columns.empty()) return {};
  KP_TRY(auto rows, database.prepare(sql));
  while (true) {
    KP_TRY(const bool row, rows.step());
    if (!row) return {};
    read(rows);
  }
}

Interval interval_of(const Statement& row) { return {row.real(0), row.real(1)}; }

Result<void> read_copies(Sqlite& database, Activity& activity) {
  // CUpti_ActivityMemcpyKind: 1 to 4 are copies from and to the host. Kinds of memory have names in
  // a table of their own; where that is missing, 0 is pageable.
  constexpr std::int64_t kLastHostKind = 4;
  KP_TRY(const auto names, columns_of(database, "ENUM_CUDA_MEM_KIND"));
  const std::string pageable =
      names.empty() ? "(c.srcKind = 0 OR c.dstKind = 0)"
                    : "EXISTS (SELECT 1 FROM ENUM_CUDA_MEM_KIND k WHERE k.id IN (c.srcKind, "
                      "c.dstKind) AND (k.name LIKE '%PAGEABLE%' OR k.label LIKE '%Pageable%'))";
  return each_row(
      database, kCopies,
      fmt::format("SELECT start, end, bytes, copyKind, {} FROM {} c", pageable, kCopies),
      [&](const Statement& row) {
        const bool host = row.integer(3) >= 1 && row.integer(3) <= kLastHostKind;
        activity.work.push_back({host ? GpuWork::Kind::kHostCopy : GpuWork::Kind::kDeviceCopy,
                                 interval_of(row), row.real(2), host && row.integer(4) != 0});
      });
}

Result<void> read_work(Sqlite& database, const char* table, GpuWork::Kind kind,
                       Activity& activity) {
  return each_row(database, table, fmt::format("SELECT start, end FROM {}", table),
                  [&](const Statement& row) {
                    activity.work.push_back({kind, interval_of(row)});
                  });
}

Result<void> read_calls(Sqlite& database, Activity& activity) {
  return each_row(database, kCalls,
                  fmt::format("SELECT r.start, r.end, r.globalTid, s.value FROM {} r JOIN "
                              "StringIds s ON s.id = r.nameId",
                              kCalls),
                  [&](const Statement& row) {
                    const auto kind = kind_of_call(row.text(3));
                    const auto thread = static_cast<std::uint64_t>(row.integer(2));
                    if (kind) activity.calls.push_back({*kind, interval_of(row), thread});
                  });
}

Result<void> read_marked(Sqlite& database, Activity& activity) {
  KP_TRY(const auto columns, columns_of(database, kRanges));
  const char* text = has(columns, "textId")
                         ? "coalesce(n.text, (SELECT value FROM StringIds WHERE id = n.textId))"
                         : "n.text";
  return each_row(database, kRanges,
                  fmt::format("SELECT start, end FROM {} n WHERE {} = '{}' AND end IS NOT NULL "
                              "ORDER BY start DESC",
                              kRanges, text, kMarkedRange),
                  [&](const Statement& row) { activity.marked = interval_of(row); });
}

}  // namespace

Result<void> check_export(Sqlite& database) {
  for (const char* table : {kKernels, kCalls, kGpus, "StringIds"}) {
    KP_TRY(const auto columns, columns_of(database, table));
    if (!columns.empty()) return {};
  }
  return fail(ErrorCode::kInvalidInput, "the file is no export of Nsight Systems",
              "make one with `nsys export --type sqlite REPORT.nsys-rep`");
}

Result<std::vector<NsysKernel>> read_kernels(Sqlite& database) {
  std::vector<NsysKernel> kernels;
  KP_TRY_VOID(each_row(
      database, kKernels,
      fmt::format("SELECT k.start, k.end, coalesce(s.value, ''), gridX, gridY, gridZ, blockX, "
                  "blockY, blockZ, registersPerThread, staticSharedMemory + dynamicSharedMemory "
                  "FROM {} k LEFT JOIN StringIds s ON s.id = k.demangledName",
                  kKernels),
      [&](const Statement& row) {
        NsysKernel& kernel = kernels.emplace_back();
        kernel.when = interval_of(row);
        kernel.name = row.text(2);
        for (int i = 0; i < 3; ++i) {
          kernel.grid[static_cast<std::size_t>(i)] = row.integer(3 + i);
          kernel.block[static_cast<std::size_t>(i)] = row.integer(6 + i);
        }
        kernel.registers = row.integer(9);
        kernel.shared = row.integer(10);
      }));
  return kernels;
}

Result<Activity> read_activity(Sqlite& database) {
  Activity activity;
  KP_TRY_VOID(read_copies(database, activity));
  KP_TRY_VOID(read_work(database, kFills, GpuWork::Kind::kFill, activity));
  KP_TRY_VOID(read_work(database, kGraphs, GpuWork::Kind::kGraph, activity));
  KP_TRY_VOID(read_calls(database, activity));
  KP_TRY_VOID(read_marked(database, activity));
  return activity;
}

Result<NsysGpu> read_gpu(Sqlite& database) {
  KP_TRY(const auto columns, columns_of(database, kGpus));
  const bool capability = has(columns, "computeMajor") && has(columns, "computeMinor");
  NsysGpu gpu;
  KP_TRY_VOID(each_row(database, kGpus,
                       fmt::format("SELECT name{} FROM {} ORDER BY id DESC",
                                   capability ? ", computeMajor, computeMinor" : "", kGpus),
                       [&](const Statement& row) {
                         gpu.product = row.text(0);
                         if (capability)
                           gpu.architecture =
                               fmt::format("sm_{}{}", row.integer(1), row.integer(2));
                       }));
  return gpu;
}

std::optional<HostCall::Kind> kind_of_call(std::string_view name) {
  using Kind = HostCall::Kind;
  const auto holds = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (holds("GraphLaunch")) return Kind::kGraphLaunch;
  if (holds("LaunchKernel") || holds("LaunchCooperativeKernel")) return Kind::kLaunch;
  if (holds("Synchronize")) return Kind::kSync;
  if (holds("ModuleLoad") || holds("LibraryLoad") || holds("GraphInstantiate")) return Kind::kSetUp;
  // A stream's pool hands memory out without waiting for the GPU.
  const bool from_pool = holds("Async") || holds("FromPool");
  const bool allocates = holds("cudaMalloc") || holds("cudaFree") || holds("MemAlloc") ||
                         holds("MemFree") || holds("cudaHostAlloc") || holds("MemHostAlloc");
  return allocates && !from_pool ? std::optional(Kind::kAllocation) : std::nullopt;
}

}  // namespace kp::profile
