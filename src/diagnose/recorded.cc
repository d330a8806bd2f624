// SPDX-License-Identifier: Apache-2.0
#include "diagnose/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "diagnose/actions.h"
#include "diagnose/roof.h"

namespace kp::diagnose {
namespace {

// Share of the time, in %, from which a pipe that does the work counts as saturated: the same that
// the DRAM roof asks of the sustained bandwidth (roof.cc). Own judgement.
constexpr double kPipeRoof = 85;
// Of what the scalar lanes can do: below, a busy pipe does something else than arithmetic (index
// products run on the same lanes). Own judgement.
constexpr double kLanesUsed = 0.7;

Finding pipe_finding(const KernelProfile& kernel, const MetricKey& key, std::string_view what,
                     std::string_view remedy) {
  Finding finding;
  finding.tool = "roof";
  finding.kernel = kernel.kernel;
  finding.grade = weakest_grade(kernel, std::span(&key, 1));
  finding.prescriptions = {{std::string(action::kFuseOrNarrow), {}, {}}};
  finding.saw =
      fmt::format("At the roof of the {}: they are busy for {:.0f} % of the time; only {}.", what,
                  *kernel.metrics.get(key), remedy);
  return finding;
}

bool saturated(const KernelProfile& kernel, const MetricKey& key) {
  return kernel.metrics.get(key).value_or(0) >= kPipeRoof;
}

/// Whether the lanes spend their time on additions and products, which each take one of the two
/// FLOP that a fused one makes.
bool computes(const KernelProfile& kernel, std::initializer_list<MetricKey> counts, double peak) {
  const std::optional<double> time = kernel.metrics.get(metric::kDuration);
  double operations = 0;
  for (const MetricKey& key : counts) {
    const std::optional<double> count = kernel.metrics.get(key);
    if (!count) return false;
    operations += *count;
  }
  return time && *time > 0 && 2 * operations / *time * kNanoseconds >= kLanesUsed * peak;
}

std::optional<Finding> pipe_roof(const KernelProfile& kernel, const DeviceSpec& device) {
  using namespace metric;  // NOLINT
  if (saturated(kernel, kTensorPct)) {
    return pipe_finding(kernel, kTensorPct, "tensor cores",
                        "fewer operations or narrower types can help");
  }
  if (saturated(kernel, kFp32Pct) &&
      computes(kernel, {kFadd, kFmul, kFfma}, device.scalar_flops_f32)) {
    return pipe_finding(
        kernel, kFp32Pct, "fp32 lanes",
        "fewer operations can help, or the tensor cores where it is a matrix product");
  }
  if (saturated(kernel, kFp64Pct) &&
      computes(kernel, {kDadd, kDmul, kDfma}, device.scalar_flops_f64)) {
    return pipe_finding(kernel, kFp64Pct, "fp64 lanes",
                        "fewer operations can help, or single precision where it is enough");
  }
  return std::nullopt;
}

/// DRAM is a roof only when what it moves is of use: sectors well used, nothing spilled. What the
/// task needs is not known, so all that is moved counts as needed.
std::optional<Finding> dram_roof(const KernelProfile& kernel, const DeviceSpec& device) {
  const MetricSet& metrics = kernel.metrics;
  const std::optional<double> bytes = dram_bytes({.kernels = {kernel}});
  const double local = metrics.get(metric::kLocalLoadSectors).value_or(0) +
                       metrics.get(metric::kLocalStoreSectors).value_or(0);
  if (!bytes || *bytes <= 0 || local > 0) return std::nullopt;
  if (!metrics.get(metric::kLoadBytesPerSector)) return std::nullopt;
  if (!kernel_at_roof({.bytes = *bytes}, kernel, device)) return std::nullopt;
  return roof_finding({0, "DRAM"}, kernel, device);
}

struct Throughputs {
  std::optional<double> compute, memory;
  explicit Throughputs(const KernelProfile& kernel)
      : compute(kernel.metrics.get(metric::kComputePct)),
        memory(kernel.metrics.get(metric::kMemoryPct)) {}
  bool known() const { return compute && memory; }
};

/// In words that do not speak of a task, which diagnose() has in mind.
std::string reason(const KernelProfile& kernel, Boundness boundness) {
  const Throughputs reached(kernel);
  std::string why = reached.known()
                        ? fmt::format("compute reaches {:.0f} % and memory {:.0f} % of peak",
                                      *reached.compute, *reached.memory)
                        : "throughputs are unknown";
  const std::optional<double> time = kernel.metrics.get(metric::kDuration);
  if (boundness == Boundness::kLaunch && time) {
    why += fmt::format("; it takes only {}", format_duration_ns(*time));
  }
  return why;
}

double headroom_of(const KernelProfile& kernel) {
  const Throughputs reached(kernel);
  if (!reached.known()) return std::numeric_limits<double>::infinity();
  return 100 / std::clamp(std::max(*reached.compute, *reached.memory), 1.0, 100.0);
}

/// The findings of a kernel at its roof: that it is, and what concerns the program around it.
std::vector<Finding> at_roof(Finding roof, const std::vector<Finding>& all) {
  std::vector<Finding> kept{std::move(roof)};
  for (const Finding& finding : all) {
    if (finding.tool == "launch_overhead") kept.insert(kept.begin(), finding);
  }
  return kept;
}

KernelDiagnosis diagnose_kernel(const profile::RecordedKernel& recorded, const DeviceSpec& device,
                                const std::optional<Timeline>& timeline) {
  Profile alone{.kernels = {recorded.profile}, .timeline = timeline};
  KernelProfile& kernel = alone.kernels[0];
  kernel.share = 1;
  KernelDiagnosis result{
      recorded.name, recorded.launches, {}, {}, true, diagnose(Floor{}, alone, device)};
  Diagnosis& found = result.diagnosis;
  std::optional<Finding> roof = dram_roof(kernel, device);
  if (!roof) roof = pipe_roof(kernel, device);
  result.classified = Throughputs(kernel).known() || found.boundness == Boundness::kLaunch;
  found.why = reason(kernel, found.boundness);
  found.headroom = headroom_of(kernel);
  found.at_roof = roof.has_value();
  if (roof) found.findings = at_roof(*std::move(roof), found.findings);
  return result;
}

int number_of(std::string_view architecture) {
  int number = 0;
  for (const char c : architecture) {
    if (c >= '0' && c <= '9') number = 10 * number + (c - '0');
  }
  return number;
}

bool same_product(std::string_view recorded, std::string_view known) {
  return !recorded.empty() && (known.starts_with(recorded) || recorded.starts_with(known));
}

std::string what_was_recorded(const profile::Recording& recording) {
  if (recording.device.empty() && recording.architecture.empty()) return "an unknown GPU";
  if (recording.architecture.empty()) return recording.device;
  if (recording.device.empty()) return recording.architecture;
  return fmt::format("{} ({})", recording.device, recording.architecture);
}

}  // namespace

ChosenSpec choose_spec(const profile::Recording& recording, const std::vector<DeviceSpec>& specs) {
  for (const DeviceSpec& spec : specs) {
    if (same_product(recording.device, spec.product)) return {spec, {}};
  }
  const int wanted = number_of(recording.architecture);
  const auto distance = [&](const DeviceSpec& spec) {
    return wanted > 0 ? std::abs(number_of(spec.architecture) - wanted) : 0;
  };
  const DeviceSpec& nearest = *std::min_element(
      specs.begin(), specs.end(),
      [&](const DeviceSpec& a, const DeviceSpec& b) { return distance(a) < distance(b); });
  return {
      nearest,
      fmt::format("recorded on {}, for which there is no spec: limits and peaks are those of {}{}",
                  what_was_recorded(recording), nearest.product,
                  distance(nearest) > 0 ? ", which is of another architecture" : "")};
}

Result<ChosenSpec> spec_for(const profile::Recording& recording) {
  KP_TRY(const Path home, installation_folder());
  std::vector<Path> files;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(home / "specs", code)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<DeviceSpec> specs;
  for (const Path& file : files) {
    KP_TRY(DeviceSpec spec, read_device_spec(file.string()));
    specs.push_back(std::move(spec));
  }
  if (specs.empty()) {
    return fail(ErrorCode::kNotFound, "there is no device spec in " + (home / "specs").string(),
                "`kernelpro doctor --calibrate` writes one for the GPU at hand");
  }
  return choose_spec(recording, specs);
}

ProgramDiagnosis diagnose(const profile::Recording& recording, const DeviceSpec& device) {
  ProgramDiagnosis program{recording.device, recording.source, {}, recording.notes};
  double total = 0;
  for (const profile::RecordedKernel& kernel : recording.kernels) total += kernel.total_ns;
  for (const profile::RecordedKernel& kernel : recording.kernels) {
    const bool first = program.kernels.empty();
    KernelDiagnosis one =
        diagnose_kernel(kernel, device, first ? recording.timeline : std::nullopt);
    if (total > 0) {
      one.total_ns = kernel.total_ns;
      one.share = kernel.total_ns / total;
    }
    program.kernels.push_back(std::move(one));
  }
  return program;
}

Result<ProgramDiagnosis> diagnose(profile::Recording recording) {
  KP_TRY(const ChosenSpec chosen, spec_for(recording));
  if (!chosen.note.empty()) recording.notes.push_back(chosen.note);
  return diagnose(recording, chosen.spec);
}

ProgramDiagnosis by_kernel(const Diagnosis& diagnosis, const Profile& profile, const Floor& floor,
                           const DeviceSpec& device) {
  ProgramDiagnosis program{profile.device, profile.source, {}, {}};
  for (const KernelProfile& kernel : profile.kernels) {
    const auto known =
        std::find_if(program.kernels.begin(), program.kernels.end(),
                     [&](const KernelDiagnosis& one) { return one.name == kernel.kernel; });
    const double time = kernel.metrics.get(metric::kDuration).value_or(0);
    if (known != program.kernels.end()) {
      ++known->launches;
      *known->share += kernel.share;
      *known->total_ns += time;
      continue;
    }
    // One kernel is the run; of several, each has a class of its own.
    const Gate own = classify(floor, {.kernels = {kernel}}, device);
    const bool single = profile.kernels.size() == 1;
    KernelDiagnosis one{kernel.kernel, 1, time, kernel.share, true, diagnosis};
    one.diagnosis.boundness = single ? diagnosis.boundness : own.boundness;
    one.diagnosis.why = single ? diagnosis.why : own.why;
    std::erase_if(one.diagnosis.findings,
                  [&](const Finding& finding) { return finding.kernel != kernel.kernel; });
    program.kernels.push_back(std::move(one));
  }
  std::stable_sort(
      program.kernels.begin(), program.kernels.end(),
      [](const KernelDiagnosis& a, const KernelDiagnosis& b) { return *a.share > *b.share; });
  return program;
}

Result<ProgramDiagnosis> by_kernel(const Diagnosis& diagnosis, const Profile& profile,
                                   const Task& task, const DeviceSpec& device) {
  const auto workload =
      std::find_if(task.workloads.begin(), task.workloads.end(),
                   [&](const Workload& one) { return one.name == profile.workload; });
  Floor floor;
  if (workload != task.workloads.end()) {
    KP_TRY(floor, floor_of(task, *workload));
  }
  return by_kernel(diagnosis, profile, floor, device);
}

}  // namespace kp::diagnose
