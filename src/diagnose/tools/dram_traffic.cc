// SPDX-License-Identifier: Apache-2.0
// Sees:           more bytes between DRAM and the L2 than the task needs, 1.3 times or more.
// Costs because:  DRAM is the slowest level; bytes that pass twice take twice the time.
// Try:            keep on chip what is read again, or let blocks that share it run together;
//                 accumulate on chip; one kernel instead of an array between two.
// Misleads when:  another resource hides the traffic (the share of time takes that into account),
//                 or less than 24 bytes of a sector are used (memory_coalescing's: not counted
//                 here).
// Source:         roofline model (Williams, Waterman, Patterson 2009); 1.3: own.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "diagnose/access.h"
#include "diagnose/actions.h"
#include "diagnose/bound.h"
#include "diagnose/resources.h"
#include "diagnose/roof.h"
#include "diagnose/spots.h"
#include "diagnose/tool.h"
#include "diagnose/warp.h"

namespace kp::diagnose {
namespace {

constexpr double kRedundant = 1.3;           // times the compulsory bytes; own
constexpr double kRedundantWhenFull = 1.15;  // the same where DRAM is the limit
constexpr double kDramFull = 0.80;           // of the sustained bandwidth
constexpr double kCap = 8;                   // speed-up; own

constexpr std::array kNeeds{metric::kDramRead, metric::kDramWrite};

/// Of the kernel's global sectors, the share that memory_coalescing leaves to this tool: all where
/// accesses are packed, else what carries something useful or has to be touched once for each
/// request; 1 when unknown.
double well_used(const Evidence& e) {
  double sectors = 0, needed = 0;
  for (const Direction direction : {Direction::kLoad, Direction::kStore}) {
    const AccessKeys& keys = keys_of(direction);
    const std::optional<double> moved = e.get(keys.sectors), asked = e.get(keys.requests);
    const std::optional<double> bytes = useful_bytes(e, direction);
    if (!moved || !asked || !bytes) continue;
    sectors += *moved;
    needed += *bytes >= kPackedBytes
                  ? *moved
                  : std::min(*moved, std::max(*asked, *moved * *bytes / kSectorBytes));
  }
  return sectors > 0 ? needed / sectors : 1;
}

/// Bytes of the kernel over what the task needs.
struct Traffic {
  double read = 0, written = 0;
  double needed = 0;                   // compulsory bytes
  std::optional<double> needed_write;  // of these, written
  double useful = 1;                   // share of the bytes that coalescing would leave

  double moved() const { return read + written; }
  double times() const { return useful * moved() / needed; }
  /// Whether most of the excess are writes.
  bool writes() const {
    if (!needed_write) return false;
    const double more_written = written - *needed_write;
    return more_written > read - (needed - *needed_write);
  }
};

Traffic traffic_of(const Evidence& e) {
  return {*e.get(metric::kDramRead), *e.get(metric::kDramWrite), e.floor.bytes, e.floor.written,
          well_used(e)};
}

/// The times of the compulsory bytes from which traffic is worth a word.
double limit_of(const Evidence& e, double bytes) {
  const std::optional<double> time = e.get(metric::kDuration);
  const bool full =
      time && *time > 0 && bytes / (*time * 1e-9) >= kDramFull * e.device.dram_sustained;
  return full ? kRedundantWhenFull : kRedundant;
}

/// What is read again comes through the L2 again: on hardware its throughput falls with it, down to
/// what the task must move. The time model keeps the two apart.
double l2_left(const Evidence& e, const Traffic& traffic) {
  const std::optional<double> sectors = e.get(metric::kL2SectorsFromL1);
  if (!sectors || *sectors <= 0 || e.get(metric::kModelL2)) return 1;
  return std::min(1.0, std::max(1 / traffic.times(), traffic.needed / (*sectors * kSectorBytes)));
}

bool longest_of_run(const Evidence& e) {
  return std::none_of(e.run->kernels.begin(), e.run->kernels.end(), [&](const KernelProfile& k) {
    return k.share > e.kernel.share || (k.share == e.kernel.share && k.launch < e.kernel.launch);
  });
}

std::string names_of(const Profile& run) {
  std::vector<std::string> names;
  for (const KernelProfile& kernel : run.kernels) {
    if (std::find(names.begin(), names.end(), kernel.kernel) == names.end()) {
      names.push_back(kernel.kernel);
    }
  }
  return join(names, ", ");
}

/// Share of the run's time that goes when each kernel moves `left` of its bytes.
std::optional<double> share_of_run(const Evidence& e, double left) {
  double share = 0;
  for (const KernelProfile& kernel : e.run->kernels) {
    const std::optional<ResourceTimes> times = resource_times(kernel, e.device);
    if (!times) return std::nullopt;
    share += kernel.share * share_won(*times, {.dram = left, .l2 = left});
  }
  return share;
}

/// The first gained 1.07x on an H200 (bench/results/h200/columns.json), the second nothing so far.
std::vector<Prescription> shared_sectors() {
  return {{std::string(action::kUnroll),
           "Load from several rows before the first is used: what warps share is then more often "
           "still on chip.",
           "#pragma unroll\nfor (int j = 0; j < 8; ++j) value[j] = x[(row + j) * width + column];"},
          {std::string(action::kAlignRows),
           "Start rows at multiples of 32 bytes where the layout is yours; else let each warp take "
           "several stretches of 32 elements side by side.",
           "const int column = thread / 32 * 128 + thread % 32;  // and + 32, + 64, + 96"}};
}

std::vector<Prescription> reads_again(const Evidence& e) {
  if (straddles_sectors(e)) return shared_sectors();
  const Prescription order{
      std::string(action::kBlockOrder),
      fmt::format("Let blocks that read the same bytes run at the same time, so that the second "
                  "read finds them in the L2 ({}): walk the grid in groups of a few block rows.",
                  format_bytes(static_cast<double>(e.device.l2_bytes))),
      "const int group = blockIdx.x / (8 * columns), first = group * 8;  // 8 block rows\n"
      "const int row = first + blockIdx.x % 8, column = blockIdx.x % (8 * columns) / 8;"};
  if (e.floor.contraction) {
    return {order,
            {std::string(action::kReuseThroughShared),
             "Use larger tiles: a block reads each operand once for every tile of the other.",
             {}}};
  }
  return {{std::string(action::kReuseThroughShared),
           "Keep what is needed again in registers or shared memory between the passes, let one "
           "thread compute all outputs that share an input, or merge "
           "the passes so that each element is used while it is there.",
           "float mine[ITEMS];  // loaded once, used by both passes"},
          order};
}

std::vector<Prescription> writes_again() {
  return {{std::string(action::kReuseThroughShared),
           "Accumulate in registers or shared memory and write each result once.",
           {}},
          {std::string(action::kFuseOrNarrow),
           "Write no array that only this run reads: compute it again, or hand it on within the "
           "block.",
           {}}};
}

std::string_view excess(const Evidence& e, const Traffic& traffic) {
  if (traffic.writes()) return "written: results leave the L2 before they are final";
  if (straddles_sectors(e)) return "read: a sector that two warps share comes for each of them";
  return "read: data leaves the L2 before it is used again";
}

class DramTraffic final : public Tool {
 public:
  About about() const override {
    return {"dram_traffic",
            "at least 1.3 times the bytes that the task must move between DRAM and the L2 (1.15 "
            "times where DRAM is at 80 % of what it sustains): reads again, writes again, sectors "
            "that two warps share, or an array between the kernels of a run",
            "DRAM is the slowest level; bytes that pass twice take twice the time",
            "keep on chip what is read again, or let blocks that share it run together; accumulate "
            "on chip; one kernel instead of an array between two",
            "another resource hides the traffic: the share of time takes that into account; bytes "
            "of sectors of which less than 24 of 32 are used are left to memory_coalescing",
            "roofline model (Williams, Waterman, Patterson 2009)"};
  }
  std::span<const MetricKey> needs() const override { return kNeeds; }
  bool relevant(Boundness boundness) const override { return boundness != Boundness::kLaunch; }

  Verdict examine(const Evidence& e) const override {
    if (e.floor.bytes <= 0) return NotApplicable{"the task states no bytes"};
    const Traffic traffic = traffic_of(e);
    if (traffic.times() >= limit_of(e, traffic.moved())) return redundant(e, traffic);
    if (e.run && e.run->kernels.size() > 1 && longest_of_run(e)) return between(e);
    return Silent{};
  }

 private:
  /// One kernel moves more than all of the task's arrays.
  Verdict redundant(const Evidence& e, const Traffic& traffic) const {
    const std::optional<ResourceTimes> times = resource_times(e.kernel, e.device);
    if (!times) return unknown(missing_throughput(e.kernel));
    const double share =
        share_won(*times, {.dram = 1 / traffic.times(), .l2 = l2_left(e, traffic)});
    std::optional<Finding> finding = weigh(e, about().name, share, kCap);
    if (!finding) return Silent{};
    finding->spots = worst_lines(e.kernel, [](const LineProfile& l) { return l.global_sectors; });
    finding->saw = fmt::format(
        "{} read and {} written in DRAM, {:.3g} times the {} that the task must move{}.",
        format_bytes(traffic.read), format_bytes(traffic.written), traffic.moved() / traffic.needed,
        format_bytes(traffic.needed), places(finding->spots));
    finding->costs = fmt::format("Most of the excess is {}; {:.0f} % of the kernel's time.",
                                 excess(e, traffic), 100 * share);
    finding->prescriptions = traffic.writes() ? writes_again() : reads_again(e);
    finding->grade = grade_with_times(e.kernel, kNeeds);
    return *std::move(finding);
  }

  /// No kernel moves too much, all together do: arrays are written by one and read by another.
  Verdict between(const Evidence& e) const {
    const std::optional<double> moved = dram_bytes(*e.run);
    if (!moved) return Silent{};  // the kernel that does not know says so itself
    if (*moved < kRedundant * e.floor.bytes) return Silent{};
    const std::optional<double> share = share_of_run(e, e.floor.bytes / *moved);
    if (!share) return unknown(missing_throughput(e.kernel));
    KernelProfile whole = e.kernel;
    whole.share = 1;
    std::optional<Finding> finding =
        weigh({whole, e.device, e.floor, e.boundness, e.headroom}, about().name, *share, kCap);
    if (!finding) return Silent{};
    const std::string names = names_of(*e.run);
    finding->saw = fmt::format(
        "{} launches ({}) move {} between DRAM and the L2, {:.3g} times the {} that the task must "
        "move, and none of them alone moves too much.",
        e.run->kernels.size(), names, format_bytes(*moved), *moved / e.floor.bytes,
        format_bytes(e.floor.bytes));
    finding->costs = fmt::format(
        "Arrays between the kernels are written to DRAM and read again; {:.0f} % of the run's "
        "time.",
        100 * *share);
    finding->prescriptions = {
        {std::string(action::kFuseOrNarrow),
         fmt::format("Do the work of {} in one kernel and keep what passes between them in "
                     "registers or shared memory; where that cannot be, make the array between "
                     "them narrower.",
                     names),
         {}}};
    finding->grade = grade_with_times(e.kernel, kNeeds);
    return *std::move(finding);
  }
};

}  // namespace

std::unique_ptr<Tool> make_dram_traffic() { return std::make_unique<DramTraffic>(); }

}  // namespace kp::diagnose
