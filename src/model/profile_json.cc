// SPDX-License-Identifier: Apache-2.0
// Profiles as JSON.
#include "model/profile_json.h"

#include <array>

#include "model/json.h"

namespace kp {
namespace {

using Json = nlohmann::json;

struct LineField {
  const char* key;
  double LineProfile::*member;
  bool optional = false;  // absent in records of older versions: nothing
};

constexpr std::array<LineField, 15> kLineFields{{
    {"instructions", &LineProfile::instructions},
    {"global_requests", &LineProfile::global_requests},
    {"global_sectors", &LineProfile::global_sectors},
    {"global_bytes", &LineProfile::global_bytes},
    {"ideal_sectors", &LineProfile::ideal_sectors},
    {"shared_wavefronts", &LineProfile::shared_wavefronts},
    {"shared_requests", &LineProfile::shared_requests},
    {"shared_conflicts", &LineProfile::shared_conflicts},
    {"fp64", &LineProfile::fp64},
    {"xu", &LineProfile::xu},
    {"conversions", &LineProfile::conversions},
    {"lanes", &LineProfile::lanes, true},
    {"local_sectors", &LineProfile::local_sectors, true},
    {"atomics", &LineProfile::atomics, true},
    {"barriers", &LineProfile::barriers, true},
}};

constexpr std::array<std::pair<const char*, double Timeline::*>, 8> kTimelineTimes{{
    {"window_ns", &Timeline::window_ns},
    {"busy_ns", &Timeline::busy_ns},
    {"median_kernel_ns", &Timeline::median_kernel_ns},
    {"launch_api_ns", &Timeline::launch_api_ns},
    {"copy_ns", &Timeline::copy_ns},
    {"sync_ns", &Timeline::sync_ns},
    {"allocation_ns", &Timeline::allocation_ns},
    {"pageable_copy_bytes", &Timeline::pageable_copy_bytes},
}};
constexpr std::array<std::pair<const char*, std::int64_t Timeline::*>, 5> kTimelineCounts{{
    {"launches", &Timeline::launches},
    {"copies", &Timeline::copies},
    {"syncs", &Timeline::syncs},
    {"allocations", &Timeline::allocations},
    {"graph_launches", &Timeline::graph_launches},
}};

Json to_json(const Timeline& timeline) {
  Json out;
  for (const auto& [key, member] : kTimelineTimes) out[key] = json_number(timeline.*member);
  for (const auto& [key, member] : kTimelineCounts) out[key] = timeline.*member;
  return out;
}

Timeline read_timeline(const JsonReader& in) {
  Timeline timeline;
  for (const auto& [key, member] : kTimelineTimes) timeline.*member = in.number(key);
  for (const auto& [key, member] : kTimelineCounts) timeline.*member = in.integer(key);
  return timeline;
}

Json to_json(const LineProfile& line) {
  Json out{{"file", line.file}, {"line", line.line}};
  for (const LineField& field : kLineFields) out[field.key] = json_number(line.*field.member);
  return out;
}

LineProfile read_line(const JsonReader& in) {
  LineProfile line;
  line.file = in.text("file");
  line.line = static_cast<int>(in.integer("line"));
  for (const LineField& field : kLineFields) {
    if (!field.optional || in.has(field.key)) line.*field.member = in.number(field.key);
  }
  return line;
}

Json to_json(const KernelProfile& kernel) {
  Json metrics = Json::object();
  for (const auto& [name, metric] : kernel.metrics.all()) {
    metrics[name] = {{"value", json_number(metric.value)}, {"grade", name_of(metric.grade)}};
  }
  Json lines = Json::array();
  for (const LineProfile& line : kernel.lines) lines.push_back(to_json(line));
  return {{"kernel", kernel.kernel},
          {"launch", kernel.launch},
          {"share", json_number(kernel.share)},
          {"metrics", std::move(metrics)},
          {"lines", std::move(lines)}};
}

KernelProfile read_kernel(const JsonReader& in) {
  KernelProfile kernel;
  kernel.kernel = in.text("kernel");
  kernel.launch = static_cast<int>(in.integer("launch"));
  kernel.share = in.number("share");
  in.each_member("metrics", [&kernel](const std::string& name, const JsonReader& metric) {
    kernel.metrics.set(name, Metric{metric.number("value"), read_grade(metric)});
  });
  in.each("lines", [&kernel](const JsonReader& line) { kernel.lines.push_back(read_line(line)); });
  return kernel;
}

}  // namespace

Grade read_grade(const JsonReader& in) {
  return in.choice("grade", {Grade::kMeasured, Grade::kModelled, Grade::kStatic});
}

Profile read_profile(const JsonReader& in) {
  Profile profile;
  profile.device = in.text("device");
  profile.source = in.text("source");
  profile.workload = in.text("workload");
  in.each("kernels",
          [&profile](const JsonReader& kernel) { profile.kernels.push_back(read_kernel(kernel)); });
  if (in.has("timeline")) profile.timeline = read_timeline(in.object("timeline"));
  if (in.has("notes")) profile.notes = in.texts("notes");
  if (in.has("rules")) {
    in.each("rules", [&profile](const JsonReader& rule) {
      profile.rules.push_back({rule.text("kernel"), rule.text("rule"), rule.text("text")});
    });
  }
  return profile;
}

Json spot_json(const SourceSpot& spot) {
  return {{"file", spot.file}, {"line", spot.line}, {"column", spot.column}};
}

SourceSpot read_spot(const JsonReader& in) {
  return {in.text("file"), static_cast<int>(in.integer("line")),
          static_cast<int>(in.integer("column"))};
}

Json to_json(const Profile& profile) {
  Json kernels = Json::array();
  for (const KernelProfile& kernel : profile.kernels) kernels.push_back(to_json(kernel));
  Json out{{"device", profile.device},
           {"source", profile.source},
           {"workload", profile.workload},
           {"kernels", std::move(kernels)}};
  if (profile.timeline) out["timeline"] = to_json(*profile.timeline);
  if (!profile.notes.empty()) out["notes"] = profile.notes;
  for (const RuleText& rule : profile.rules) {
    out["rules"].push_back({{"kernel", rule.kernel}, {"rule", rule.rule}, {"text", rule.text}});
  }
  return out;
}

Result<Profile> profile_from_json(const Json& json) {
  JsonReader::Fault fault;
  Profile profile = read_profile(JsonReader(json, "profile", fault));
  return value_or_fault(std::move(profile), std::move(fault));
}

}  // namespace kp
