// SPDX-License-Identifier: Apache-2.0
#include "loop/stored_run.h"

#include <fmt/format.h>

#include "model/device_spec_text.h"
#include "task/task.h"

namespace kp::loop {
namespace {

namespace fs = std::filesystem;

/// A path that is not absolute is one from the run's folder.
Result<Task> read_task(const Settings& settings, const Path& folder) {
  KP_TRY(Task task, task::read_task(folder / settings.task));
  if (!settings.from.empty()) KP_TRY_VOID(task::begin_from(task, folder / settings.from));
  return task;
}

Result<StoredRun> read(store::RunStore store) {
  KP_TRY(const auto meta, store.meta());
  KP_TRY(auto settings, settings_from(meta));
  KP_TRY(auto task, read_task(settings, store.folder()));
  return StoredRun{std::move(store), std::move(settings), std::move(task)};
}

/// All files of a task, whose place is the folder or the file that declares it.
std::vector<Path> files_of(const Task& task, const Path& from) {
  if (fs::is_directory(from)) return {from};
  std::vector<Path> files{from};
  std::error_code error;
  for (const Path& other : {Path(task.oracle.source), Path(task.oracle.device_source)}) {
    if (!other.empty() && !fs::equivalent(other, from, error)) files.push_back(other);
  }
  return files;
}

tl::unexpected<Error> not_copied(const Path& file, const std::error_code& error) {
  return fail(ErrorCode::kIo,
              fmt::format("cannot copy {} into the run: {}", file.string(), error.message()),
              "check that it can be read, and that the run folder can be written");
}

Result<void> copy_file(const TaskFile& file, const Path& folder) {
  const Path place = folder / file.place;
  KP_TRY_VOID(make_folder(place.parent_path()));
  std::error_code error;
  fs::copy(file.file, place, fs::copy_options::overwrite_existing, error);
  return error ? not_copied(file.file, error) : Result<void>();
}

/// Returns where the copy is, relative to the run.
Result<Path> copy_task(const Path& named, const Path& folder) {
  KP_TRY(const Task task, task::read_task(named));
  // A data set may be named for its only problem.
  const Path& from = fs::is_regular_file(task.path) ? task.path : named;
  KP_TRY_VOID(make_folder(folder / "task"));
  std::error_code error;
  for (const Path& file : files_of(task, from)) {
    const Path name = fs::weakly_canonical(file, error).filename();
    fs::copy(file, folder / "task" / name,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
    if (error) return not_copied(file, error);
  }
  for (const TaskFile& file : task.files) KP_TRY_VOID(copy_file(file, folder / "task"));
  return Path("task") / fs::weakly_canonical(from, error).filename();
}

}  // namespace

Result<StoredRun> open_shared(const Path& folder) {
  KP_TRY(auto store, store::RunStore::share(folder));
  return read(std::move(store));
}

Result<StoredRun> open_alone(const Path& folder) {
  KP_TRY(auto store, store::RunStore::open(folder, Sqlite::Access::kWrite));
  return read(std::move(store));
}

Result<void> found_run(const Path& from, Settings settings, const Path& folder) {
  // A run that is there must keep its task; creating it again says so.
  if (!fs::exists(folder / "run.db")) {
    KP_TRY(const Path copy, copy_task(from, folder));
    settings.task = copy.string();
    if (!settings.from.empty()) {
      const Path place = Path("task") / "from.cu";
      KP_TRY_VOID(copy_file({settings.from, place}, folder));
      settings.from = place;
    }
  }
  KP_TRY(const Task task, read_task(settings, folder));
  KP_TRY(auto run, LiveRun::create(settings, task, folder));
  return run.plant();
}

Path free_folder(const Path& runs, const std::string& name) {
  Path folder = runs / name;
  for (int n = 2; fs::exists(folder); ++n) folder = runs / fmt::format("{}-{}", name, n);
  return folder;
}

std::string device_of(const store::Meta& meta) {
  for (const char* key : {"device", "wanted_device"}) {
    if (const auto found = meta.find(key); found != meta.end()) return found->second;
  }
  return "";
}

Result<std::optional<DeviceSpec>> spec_of(const store::Meta& meta) {
  if (const auto kept = meta.find("device_spec"); kept != meta.end()) {
    KP_TRY(auto spec, parse_device_spec(kept->second, "device_spec of run.db"));
    return std::optional(std::move(spec));
  }
  // A virtual device is what its name says, wherever it is.
  const std::string device = device_of(meta);
  constexpr std::string_view kVirtual = "vgpu:";
  if (!device.starts_with(kVirtual)) return std::optional<DeviceSpec>{};
  KP_TRY(auto spec, read_device_spec(device.substr(kVirtual.size())));
  return std::optional(std::move(spec));
}

store::Meta device_meta(const device::Description& device) {
  return {{"device", device.name}, {"device_spec", to_toml(device.spec)}};
}

}  // namespace kp::loop
