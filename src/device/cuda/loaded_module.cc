// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/loaded_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "device/cuda/module_answers.h"

namespace kp::device::cuda {
namespace {

using std::chrono::milliseconds;
using Json = nlohmann::json;

constexpr milliseconds kLoading{30'000};
constexpr int kTimingRuns = 21;  // odd: the median is one of them

milliseconds deadline_of(double seconds) {
  return milliseconds(static_cast<std::int64_t>(std::llround(seconds * 1000)));
}

Json json_of(std::span<const BoundStep> steps) {
  Json list = Json::array();
  for (const BoundStep& step : steps) list.push_back(to_json(step));
  return list;
}

Mishap mishap_of(const Reply& reply, std::span<const BoundStep> steps) {
  if (const auto* fault = std::get_if<Fault>(&reply)) return crash_of(*fault, steps);
  if (const auto* late = std::get_if<TimedOut>(&reply)) return *late;
  return {};
}

/// Modules of the contenders of a series, -1 for those that could not be loaded.
class Guests {
 public:
  Guests(const LoadedModule& host, std::span<const Contender> contenders) : host_(host) {
    for (std::size_t i = 0; i < contenders.size(); ++i) admit(contenders[i], static_cast<int>(i));
  }
  int number(std::size_t contender) const { return numbers_[contender]; }
  const std::optional<Crashed>& refused() const { return refused_; }
  int guilty() const { return guilty_; }

 private:
  void admit(const Contender& contender, int index) {
    numbers_.push_back(host_.number);
    if (contender.binary == nullptr || refused_) return;
    auto loaded = load_module(host_.worker, *contender.binary);
    if (auto* crashed = std::get_if<Crashed>(&loaded)) {
      refused_ = std::move(*crashed);
      guilty_ = index;
      return;
    }
    modules_.push_back(std::get<std::unique_ptr<LoadedModule>>(std::move(loaded)));
    numbers_.back() = modules_.back()->number;
  }

  const LoadedModule& host_;
  std::vector<std::unique_ptr<LoadedModule>> modules_;
  std::vector<int> numbers_;
  std::optional<Crashed> refused_;
  int guilty_ = -1;
};

Request series_request(const Guests& guests, const SeriesRequest& request) {
  Json contenders = Json::array(), laps = Json::array();
  for (std::size_t i = 0; i < request.contenders.size(); ++i) {
    Json sets = Json::array();
    for (const auto& steps : request.contenders[i].sets) sets.push_back(json_of(steps));
    contenders.push_back({{"module", guests.number(i)}, {"sets", std::move(sets)}});
  }
  for (const Lap& lap : request.laps)
    laps.push_back({{"contender", lap.contender}, {"sets", lap.sets}});
  return {.body = {{"do", "series"},
                   {"contenders", std::move(contenders)},
                   {"laps", std::move(laps)},
                   {"cold", request.cold}},
          .phase = "time",
          .deadline = deadline_of(request.deadline_seconds)};
}

/// Steps of the contender whose fault it was, so that its kernel can be named.
std::span<const BoundStep> steps_of(const SeriesRequest& request, int contender) {
  const auto index = static_cast<std::size_t>(contender);
  const bool known = contender >= 0 && index < request.contenders.size();
  if (!known || request.contenders[index].sets.empty()) return {};
  return request.contenders[index].sets.front();
}

/// Whose lap it was when nobody answered any more. The process says itself how far it has come: not
/// more than a hint, unless all laps are one contender's.
int contender_at_the_end(Worker& worker, std::span<const Lap> laps) {
  if (laps.empty()) return -1;
  const int first = laps.front().contender;
  const bool alone =
      std::ranges::all_of(laps, [first](const Lap& lap) { return lap.contender == first; });
  if (alone) return first;
  const auto staging = worker.staging().bytes();
  std::uint32_t lap = 0;
  if (!staging) return -1;
  std::memcpy(&lap, staging->data(), sizeof lap);
  return lap < laps.size() ? laps[lap].contender : -1;
}

/// And not the launches that were to be counted.
bool concerns_counters(const Fault& fault) {
  return !ends_process(fault) && crash_of(fault, {}).fault != FaultKind::kOutOfResources;
}

tl::unexpected<Error> no_counters(const Fault& fault) {
  return fail(ErrorCode::kUnavailable,
              fmt::format("the GPU's counters cannot be read: {}", fault.name),
              "kernelpro doctor says how to allow it");
}

}  // namespace

LoadedModule::~LoadedModule() {
  if (finish) {
    finish();
  } else if (worker.alive()) {
    static_cast<void>(worker.ask(
        {.body = {{"do", "unload"}, {"module", number}}, .phase = "load", .deadline = kLoading}));
  }
}

std::variant<std::unique_ptr<LoadedModule>, Crashed> load_module(Worker& worker,
                                                                 const build::Binary& binary) {
  const std::vector<std::uint8_t> bytes(binary.cubin.begin(), binary.cubin.end());
  const Reply reply = worker.ask({.body = {{"do", "load"}, {"cubin", Json::binary(bytes)}},
                                  .phase = "load",
                                  .deadline = kLoading});
  if (const auto* fault = std::get_if<Fault>(&reply)) return crash_of(*fault, {});
  if (const auto* late = std::get_if<TimedOut>(&reply)) {
    return Crashed{
        .fault = FaultKind::kUnsupported,
        .message = fmt::format("the driver does not load the binary within {} s", late->limit),
        .kernel = {},
        .spot = {}};
  }
  const Json& body = std::get<Frame>(reply).body;
  const auto number = body.find("module");
  if (number == body.end() || !number->is_number_integer())
    return std::get<Crashed>(garbage("load"));
  return std::make_unique<LoadedModule>(worker, number->get<int>());
}

Mishap run_steps(const LoadedModule& module, const RunRequest& request) {
  Json body = {{"do", "run"}, {"module", module.number}, {"steps", json_of(request.steps)}};
  const bool trusted = !module.finish;
  if (!trusted) body["disturb"] = request.schedule_seed;
  const Reply reply = module.worker.ask({.body = std::move(body),
                                         .phase = "check",
                                         .deadline = deadline_of(request.deadline_seconds)});
  return mishap_of(reply, request.steps);
}

TimeReport time_steps(const LoadedModule& module, const TimeRequest& request) {
  if (request.steps.empty()) return {.grade = Grade::kMeasured};
  const Reply reply = module.worker.ask({.body = {{"do", "times"},
                                                  {"module", module.number},
                                                  {"steps", json_of(request.steps)},
                                                  {"runs", kTimingRuns}},
                                         .phase = "time",
                                         .deadline = deadline_of(request.deadline_seconds)});
  const auto* frame = std::get_if<Frame>(&reply);
  if (frame == nullptr)
    return {.mishap = mishap_of(reply, request.steps), .grade = Grade::kMeasured};
  const auto times = times_from(frame->body, request.steps.size());
  if (times.empty()) return {.mishap = garbage("times"), .grade = Grade::kMeasured};
  return report_of(times, request.steps);
}

SeriesReport time_series(const LoadedModule& module, const SeriesRequest& request) {
  const Guests guests(module, request.contenders);
  if (guests.refused()) return {.mishap = *guests.refused(), .guilty = guests.guilty()};
  const auto start = std::chrono::steady_clock::now();
  const Reply reply = module.worker.ask(series_request(guests, request));
  SeriesReport report;
  report.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (const auto* fault = std::get_if<Fault>(&reply)) report.guilty = fault->guilty;
  if (std::holds_alternative<TimedOut>(reply))
    report.guilty = contender_at_the_end(module.worker, request.laps);
  report.mishap = mishap_of(reply, steps_of(request, report.guilty));
  const auto* frame = std::get_if<Frame>(&reply);
  if (frame == nullptr) return report;
  report.laps = laps_from(frame->body, request.laps.size());
  const auto empty = frame->body.find("empty_ns");
  const bool whole = report.laps.size() == request.laps.size() && empty != frame->body.end() &&
                     is_duration(*empty);
  if (!whole) return {.mishap = garbage("series"), .guilty = -1};
  report.empty_nanoseconds = empty->get<double>();
  return report;
}

Result<TraceReport> trace_launches(const LoadedModule& module, const TraceRequest& request) {
  const Reply reply = module.worker.ask(
      {.body = {{"do", "trace"}, {"module", module.number}, {"steps", json_of(request.steps)}},
       .phase = "time",
       .deadline = deadline_of(request.deadline_seconds)});
  const auto* fault = std::get_if<Fault>(&reply);
  if (fault != nullptr && concerns_counters(*fault)) {
    return fail(ErrorCode::kUnavailable, fmt::format("kernels cannot be traced: {}", fault->name),
                "kernelpro doctor says whether CUPTI is there");
  }
  const auto* frame = std::get_if<Frame>(&reply);
  if (frame == nullptr) return TraceReport{.mishap = mishap_of(reply, request.steps)};
  auto report = trace_from(frame->body);
  return report ? *std::move(report) : TraceReport{.mishap = garbage("trace")};
}

Result<CountReport> count_launches(const LoadedModule& module, const CountRequest& request) {
  Json names = Json::array();
  for (const MetricKey& key : request.metrics) names.push_back(std::string(key.name));
  const Reply reply = module.worker.ask({.body = {{"do", "count"},
                                                  {"module", module.number},
                                                  {"steps", json_of(request.steps)},
                                                  {"metrics", std::move(names)}},
                                         .phase = "profile",
                                         .deadline = deadline_of(request.deadline_seconds)});
  const auto* fault = std::get_if<Fault>(&reply);
  if (fault != nullptr && concerns_counters(*fault)) return no_counters(*fault);
  const auto* frame = std::get_if<Frame>(&reply);
  if (frame == nullptr) return CountReport{.mishap = mishap_of(reply, request.steps)};
  auto launches = counts_from(frame->body, request.steps);
  if (!launches) return CountReport{.mishap = garbage("count")};
  const auto passes = frame->body.find("passes");
  const bool known = passes != frame->body.end() && passes->is_number_integer();
  return CountReport{.launches = *std::move(launches), .passes = known ? passes->get<int>() : 0};
}

}  // namespace kp::device::cuda
