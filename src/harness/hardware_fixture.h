// SPDX-License-Identifier: Apache-2.0
// A virtual GPU that says it is hardware: series with modelled times and seeded noise, trusted code
// on the same device. Hooks stand for candidates that cheat in ways that a virtual GPU cannot
// express.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "base/random.h"
#include "device/hardware.h"

namespace kp::harness {

/// What a test can bend.
struct Bend {
  std::function<void(const std::vector<device::BoundStep>&)> after_set;  // candidate's sets only
  std::function<std::vector<device::BoundStep>(std::vector<device::BoundStep>)> before_set;
  std::function<void()> after_series;
  /// Before each series: what it comes to, and whose fault its process says it is.
  std::function<std::pair<device::Mishap, int>(const device::SeriesRequest&)> series;
  std::function<void(int)> on_trusted_run;  // number of trusted runs since the last series
  std::function<double(int, int)> clock;    // contender, lap -> Hz
  std::function<Result<device::CountReport>(const device::CountRequest&)> counters;
  std::function<device::TraceReport(const device::TraceRequest&)> trace;  // none: no CUPTI
  std::string rules;  // page "details" of Nsight Compute; empty: it is absent
  std::uint64_t reasons = 0;
  double candidate_factor = 1;  // on modelled times
  double noise = 0.002;
  double wall_factor = 2;
};

class BenchDevice : public device::Device, public device::Hardware, public device::Observer {
 public:
  static constexpr std::int64_t memory_bytes = 1'500'000;
  BenchDevice(device::Device& inner, Bend& bend) : inner_(inner), bend_(bend), trusted_(*this) {
    description_ = inner.describe();
    description_.name = "bench";
    description_.timing = Grade::kMeasured;
    description_.spec.memory_bytes = memory_bytes;  // so that a round has few sets
  }

  const device::Description& describe() const override { return description_; }
  device::Buffers& buffers() override { return inner_.buffers(); }
  Result<std::variant<std::unique_ptr<device::Loaded>, Crashed>> load(
      const build::Binary& binary) override {
    ++loads;
    return inner_.load(binary);
  }
  Result<device::Mishap> run(device::Loaded& module, const device::RunRequest& request) override {
    return inner_.run(module, request);
  }
  Result<device::TimeReport> time(device::Loaded& module,
                                  const device::TimeRequest& request) override {
    return inner_.time(module, request);
  }
  device::Hardware* hardware() override { return this; }

  device::Device& trusted() override { return trusted_; }
  Result<device::SeriesReport> series(device::Loaded& candidate,
                                      const device::SeriesRequest& request) override {
    device::SeriesReport report;
    trusted_.runs = 0;
    if (bend_.series) std::tie(report.mishap, report.guilty) = bend_.series(request);
    if (!std::holds_alternative<std::monostate>(report.mishap)) return report;
    int number = 0;
    for (const device::Lap& lap : request.laps) {
      const auto& contender = request.contenders[static_cast<std::size_t>(lap.contender)];
      device::Loaded* loaded = &candidate;
      if (contender.binary) {
        KP_TRY(loaded, rival(*contender.binary));
      }
      device::LapTime& time = report.laps.emplace_back();
      for (const int set : lap.sets) {
        auto steps = contender.sets[static_cast<std::size_t>(set)];
        const bool mine = contender.binary == nullptr;
        if (mine && bend_.before_set) steps = bend_.before_set(std::move(steps));
        KP_TRY(report.mishap,
               inner_.run(*loaded, {.steps = steps, .instruction_budget = 1u << 26}));
        if (!std::holds_alternative<std::monostate>(report.mishap)) {
          report.guilty = lap.contender;
          return report;
        }
        if (mine && bend_.after_set) bend_.after_set(contender.sets[static_cast<std::size_t>(set)]);
        KP_TRY(const double ns, modelled(*loaded, contender.sets.front()));
        time.nanoseconds +=
            ns * (mine ? bend_.candidate_factor : 1) * (1 + bend_.noise * noise_.normal());
      }
      if (bend_.clock) time.sm_hz = bend_.clock(lap.contender, number);
      ++number;
      report.wall_seconds += bend_.wall_factor * time.nanoseconds * 1e-9;
    }
    if (bend_.after_series) bend_.after_series();
    return report;
  }
  Result<device::CountReport> count(device::Loaded&, const device::CountRequest& request) override {
    if (bend_.counters) return bend_.counters(request);
    return fail(ErrorCode::kUnavailable, "no counters here");
  }
  Result<device::TraceReport> trace(device::Loaded&, const device::TraceRequest& request) override {
    if (!bend_.trace) return fail(ErrorCode::kUnavailable, "this device does not trace kernels");
    return bend_.trace(request);
  }
  Result<std::string> rules(device::Loaded&, const device::RulesRequest&) override {
    if (bend_.rules.empty()) return fail(ErrorCode::kUnavailable, "there is no ncu here");
    return bend_.rules;
  }
  device::Observer& observer() override { return *this; }
  device::GpuState state() override {
    device::GpuState state;
    state.sm_hz = 1.98e9;
    state.reasons = bend_.reasons;
    return state;
  }
  std::string sandbox() const override { return "minimal"; }
  /// Nobody can map memory of a virtual GPU: the descriptor is of a file that tells the address.
  Result<device::SharedArray> share(std::uint64_t address) override {
    constexpr std::uint64_t kOffset = 64;
    const std::uint64_t base = address - kOffset;
    device::SharedArray shared{Descriptor(::memfd_create("address", MFD_CLOEXEC)), 0, kOffset};
    if (::write(shared.descriptor.number(), &base, sizeof base) != sizeof base)
      return fail(ErrorCode::kIo, "no file for an address");
    return shared;
  }

  int loads = 0;

 private:
  /// Trusted code has its own door, so that tests see what goes through it.
  class Trusted : public device::Device {
   public:
    explicit Trusted(BenchDevice& bench) : bench_(bench) {}
    const device::Description& describe() const override { return bench_.describe(); }
    device::Buffers& buffers() override { return bench_.buffers(); }
    Result<std::variant<std::unique_ptr<device::Loaded>, Crashed>> load(
        const build::Binary& binary) override {
      return bench_.inner_.load(binary);
    }
    Result<device::Mishap> run(device::Loaded& module, const device::RunRequest& request) override {
      if (bench_.bend_.on_trusted_run) bench_.bend_.on_trusted_run(runs++);
      return bench_.inner_.run(module, request);
    }
    Result<device::TimeReport> time(device::Loaded& module,
                                    const device::TimeRequest& request) override {
      return bench_.inner_.time(module, request);
    }
    int runs = 0;

   private:
    BenchDevice& bench_;
  };

  Result<device::Loaded*> rival(const build::Binary& binary) {
    auto& known = rivals_[binary.id];
    if (!known) {
      KP_TRY(auto loaded, inner_.load(binary));
      known = std::get<std::unique_ptr<device::Loaded>>(std::move(loaded));
    }
    return known.get();
  }

  /// Timed once for each module: the arrays of a set hold the same kinds of values.
  Result<double> modelled(device::Loaded& loaded, const std::vector<device::BoundStep>& steps) {
    double& known = times_[&loaded];
    if (known == 0) {
      KP_TRY(const device::TimeReport report,
             inner_.time(loaded, {.steps = steps, .sample_blocks = 4}));
      known = report.nanoseconds;
    }
    return known;
  }

  device::Device& inner_;
  Bend& bend_;
  Trusted trusted_;
  device::Description description_;
  Random noise_{99};
  std::map<std::string, std::unique_ptr<device::Loaded>> rivals_;
  std::map<device::Loaded*, double> times_;
};

}  // namespace kp::harness
