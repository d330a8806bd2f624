// SPDX-License-Identifier: Apache-2.0
// Sees:           a GPU that is idle between kernels, many kernels that are as short as their
//                 launch, copies, waits and allocations between them.
// Costs because:  each launch costs microseconds on both sides, whatever it does, and the GPU waits
//                 for a host that waits for it.
// Try:            fewer and larger kernels; a CUDA graph; streams, pinned memory and pools instead
//                 of waits, pageable copies and allocations.
// Misleads when:  the recording shows the start of a program, or a part that never repeats.
// Source:         CUDA C++ Best Practices Guide; GPA (arXiv 2009.04061), kernel merge.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diagnose/actions.h"
#include "diagnose/bound.h"
#include "diagnose/roof.h"
#include "diagnose/tool.h"

namespace kp::diagnose {
namespace {

constexpr double kIdle = 0.20;       // of the window
constexpr double kShort = 10e3;      // ns; the median kernel. GPA
constexpr std::int64_t kMany = 10;   // launches; GPA
constexpr double kBeside = 0.05;     // of the window, for copies, waits and allocations; own
constexpr double kGraphGap = 1000;   // ns between two nodes of a graph that follow each other; own
constexpr double kHardlyMore = 1.5;  // times an empty launch; own
constexpr double kStart = 1.25;      // times an empty launch, for a kernel that does little; own
constexpr double kMostShare = 0.97;  // something is left to do
constexpr double kCap = 32;          // speed-up; own

constexpr std::array kNeeds{metric::kDuration};

Prescription fuse(std::string text) {
  return {std::string(action::kFuseLaunches), std::move(text), {}};
}
Prescription graph() {
  return {std::string(action::kLaunchGraph),
          "Record the launches of a step once in a CUDA graph and launch that.",
          "cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);\n"
          "step(stream);\n"
          "cudaStreamEndCapture(stream, &graph);"};
}
Prescription no_waits() {
  return {std::string(action::kOverlapHost),
          "Do not wait for the GPU between launches: keep results there, wait once at the end, and "
          "order streams by events.",
          "cudaStreamWaitEvent(stream, event);"};
}
Prescription copies(bool pageable) {
  return {std::string(action::kOverlapHost),
          pageable ? "Copy from pinned memory, asynchronously and in a stream of its own; pageable "
                     "memory is copied twice, and the host waits."
                   : "Copy asynchronously in a stream of its own while kernels run, or leave the "
                     "data on the GPU.",
          "cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, copies);"};
}
Prescription pool() {
  return {std::string(action::kPoolAllocations),
          "Allocate once before the loop, or from a pool: cudaMalloc and cudaFree wait for the "
          "whole device.",
          "cudaMallocAsync(&buffer, bytes, stream);"};
}
Prescription dependent() {
  return {std::string(action::kLaunchGraph),
          "Let a kernel start while the one before ends (programmatic dependent launch), or run "
          "small independent kernels side by side in several streams.",
          "cudaLaunchAttributeProgrammaticStreamSerialization"};
}

/// The first kernel of the run speaks for the whole of it.
bool first_of_run(const Evidence& e) {
  return !e.run || e.run->kernels.empty() || &e.run->kernels.front() == &e.kernel ||
         (e.run->kernels.front().launch == e.kernel.launch &&
          e.run->kernels.front().kernel == e.kernel.kernel);
}

double launch_ns(const DeviceSpec& device) {
  const auto found = device.model.find("launch_overhead");
  return found == device.model.end() ? 0 : found->second;
}

/// What a window of a program shows.
struct Window {
  const Timeline& t;
  double idle() const { return std::max(0.0, t.window_ns - t.busy_ns); }
  double share(double ns) const { return t.window_ns > 0 ? ns / t.window_ns : 0; }
  bool idles() const { return share(idle()) > kIdle; }
  bool tiny() const { return t.median_kernel_ns < kShort && t.launches >= kMany; }
  bool copies() const { return share(t.copy_ns) > kBeside; }
  bool waits() const { return share(t.sync_ns) > kBeside && idles(); }
  bool allocates() const { return share(t.allocation_ns) > kBeside; }
  /// What stays idle when a graph issues the launches.
  double least_idle() const {
    return std::min(idle(), kGraphGap * static_cast<double>(t.launches));
  }
  /// ns that can go: idle time, and copies and allocations that nothing overlaps.
  double removable() const {
    double ns = idles() || tiny() ? idle() - least_idle() : 0.0;
    if (copies()) ns += t.copy_ns;
    if (allocates()) ns = std::max(ns, std::min(t.allocation_ns, idle()));
    return ns;
  }
};

std::string saw(const Window& w) {
  const Timeline& t = w.t;
  std::string text = fmt::format(
      "The GPU is idle for {:.0f} % of {}: {} launches, the median kernel takes {}",
      100 * w.share(w.idle()), format_duration_ns(t.window_ns),
      format_count(static_cast<double>(t.launches)), format_duration_ns(t.median_kernel_ns));
  const auto add = [&](double ns, std::int64_t count, std::string_view what) {
    if (w.share(ns) > kBeside) {
      text += fmt::format("; {} {} take {}", format_count(static_cast<double>(count)), what,
                          format_duration_ns(ns));
    }
  };
  add(t.copy_ns, t.copies, "copies");
  add(t.sync_ns, t.syncs, "waits for the GPU");
  add(t.allocation_ns, t.allocations, "allocations");
  return text + ".";
}

/// The dominant cause of idle time first.
std::vector<Prescription> prescriptions(const Window& w) {
  const Timeline& t = w.t;
  std::vector<std::pair<double, Prescription>> causes;
  const bool graphs = t.graph_launches > 0;
  if (w.idles() || w.tiny()) {
    const double issue = std::max(t.launch_api_ns, 1.0);
    if (!graphs) causes.emplace_back(issue, graph());
    causes.emplace_back(issue / 2, fuse("Do the work of several kernels in one, where one uses "
                                        "what the one before made."));
    causes.emplace_back(0, dependent());
  }
  if (w.waits()) causes.emplace_back(t.sync_ns, no_waits());
  if (w.copies()) causes.emplace_back(t.copy_ns, copies(t.pageable_copy_bytes > 0));
  if (w.allocates()) causes.emplace_back(t.allocation_ns, pool());
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Prescription> list;
  for (auto& [ns, cause] : causes) list.push_back(std::move(cause));
  return list;
}

/// Launches of one plan, without a timeline.
struct Launches {
  double count = 0, total = 0, median = 0;  // ns
};
std::optional<Launches> launches_of(const Evidence& e) {
  if (!e.run || e.run->kernels.size() < 2) return std::nullopt;
  std::vector<double> times;
  for (const KernelProfile& kernel : e.run->kernels) {
    const std::optional<double> time = kernel.metrics.get(metric::kDuration);
    if (!time) return std::nullopt;
    times.push_back(*time);
  }
  std::sort(times.begin(), times.end());
  return Launches{static_cast<double>(times.size()), *total_of(*e.run, metric::kDuration),
                  times[times.size() / 2]};
}

/// What goes of `launches` when one does their work: all starts and ends of almost empty kernels
/// but one.
double starts_ns(const Evidence& e, const Launches& launches) {
  const double each = launch_ns(e.device);
  if (each <= 0 || launches.median >= kShort) return 0;
  return std::min(launches.median, kStart * each) * (launches.count - 1);
}

/// ns of a window that one launch would not need, when the launches of a plan are all that it
/// holds; 0 for programs, whose launches have reasons that nobody knows.
double fused_ns(const Evidence& e, const Window& window) {
  const std::optional<Launches> launches = launches_of(e);
  if (!launches || launches->count != static_cast<double>(window.t.launches)) return 0;
  const double starts = starts_ns(e, *launches);
  return starts > 0 ? window.idle() + starts : 0;
}

/// How many times faster a window can be: until the roof of the run's work, where it is known.
double most_of(const Evidence& e, const Window& window) {
  if (!e.run) return kCap;
  const std::optional<double> busy = total_of(*e.run, metric::kDuration);
  if (!busy || *busy <= 0) return kCap;
  return std::clamp(e.headroom * window.t.window_ns / *busy, 1.0, kCap);
}

class LaunchOverhead final : public Tool {
 public:
  About about() const override {
    return {"launch_overhead",
            "over a stretch of a program: the GPU is idle for more than 20 % of it, or there are "
            "10 launches or more of which the median takes less than 10 us, or copies, waits or "
            "allocations take more than 5 %; in a run of several launches, or of one: kernels that "
            "are as short as what it costs to launch them",
            "each launch costs microseconds on both sides, whatever it does, and the GPU waits "
            "for a host that waits for it",
            "fewer and larger kernels, a CUDA graph, streams and pinned memory instead of waits "
            "and pageable copies, a pool instead of allocations",
            "the recording shows the start of a program, or a part that never repeats",
            "CUDA C++ Best Practices Guide; GPA (arXiv 2009.04061), kernel merge"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness) const override { return true; }

  Verdict examine(const Evidence& e) const override {
    if (!first_of_run(e)) return Silent{};
    if (e.run && e.run->timeline) return of_window(e, *e.run->timeline);
    if (const std::optional<Launches> launches = launches_of(e)) return of_plan(e, *launches);
    return of_one(e);
  }

 private:
  /// A single launch that takes hardly longer than an empty one.
  Verdict of_one(const Evidence& e) const {
    const double each = launch_ns(e.device), time = *e.get(metric::kDuration);
    if (each <= 0 || time >= kHardlyMore * each) return Silent{};
    std::optional<Finding> finding = of_run(e, each / (each + time));
    if (!finding) return Silent{};
    finding->severity = std::min(finding->severity, Severity::kWarning);
    finding->saw = fmt::format("The kernel takes {}, and an empty launch {}.",
                               format_duration_ns(time), format_duration_ns(each));
    finding->costs = "What it does costs less than launching it.";
    finding->prescriptions = {
        fuse("Do its work in a kernel before or after it, or for many inputs in one launch."),
        graph()};
    finding->grade = weakest_grade(e.kernel, kNeeds);
    return *std::move(finding);
  }

  Verdict of_window(const Evidence& e, const Timeline& timeline) const {
    const Window window{timeline};
    if (timeline.window_ns <= 0) return NotApplicable{"the timeline is empty"};
    if (!window.idles() && !window.tiny() && !window.copies() && !window.allocates()) {
      return Silent{};
    }
    const double fused = fused_ns(e, window), apart = window.removable();
    const double share = window.share(std::clamp(std::max(fused, apart), 0.0, timeline.window_ns));
    std::optional<Finding> finding = of_run(e, share, fused > apart ? most_of(e, window) : kCap);
    if (!finding) return Silent{};
    finding->saw = saw(window);
    finding->costs = fmt::format(
        "{}: {:.0f} % of the time could go without making one faster.",
        fused > apart ? "Each launch starts and ends a kernel and leaves a gap, whatever it does"
                      : "Kernels wait for the host",
        100 * share);
    finding->prescriptions = prescriptions(window);
    finding->grade = Grade::kMeasured;
    return *std::move(finding);
  }

  /// Launches that follow each other in one plan: all but one could go.
  Verdict of_plan(const Evidence& e, const Launches& launches) const {
    const double each = launch_ns(e.device);
    const bool modelled = weakest_grade(e.kernel, kNeeds) == Grade::kModelled;
    const double total = launches.total;
    if (each <= 0 || launches.median >= kShort) return Silent{};
    // Of a measured duration, the start and the end of an almost empty kernel would go as well.
    const double start = modelled ? each : std::min(launches.median, kStart * each);
    std::optional<Finding> finding = of_run(e, start * (launches.count - 1) / total);
    if (!finding) return Silent{};
    finding->saw =
        fmt::format("{:.0f} launches, of which the median takes {}, and {} in all.", launches.count,
                    format_duration_ns(launches.median), format_duration_ns(total));
    finding->costs = fmt::format("A launch costs {} on this device, however little it does.",
                                 format_duration_ns(each));
    finding->prescriptions = {
        fuse("Do the work of these launches in one kernel: one block where the data fits, a "
             "cooperative grid, or the last block to arrive does the second step."),
        dependent()};
    finding->grade = weakest_grade(e.kernel, kNeeds);
    return *std::move(finding);
  }

  /// Weighed against the whole run, whatever the share of the kernel that speaks for it.
  std::optional<Finding> of_run(const Evidence& e, double share, double cap = kCap) const {
    KernelProfile whole = e.kernel;
    whole.share = 1;
    // The bound on a kernel says nothing of what lies between kernels.
    return weigh({whole, e.device, e.floor, e.boundness, kCap, e.run}, about().name,
                 std::min(share, kMostShare), cap);
  }
};

}  // namespace

std::unique_ptr<Tool> make_launch_overhead() { return std::make_unique<LaunchOverhead>(); }

}  // namespace kp::diagnose
