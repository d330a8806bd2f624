// SPDX-License-Identifier: Apache-2.0
#include "torch/protocol.h"

#include <fmt/format.h>

#include <cmath>

#include "model/json_reader.h"

namespace kp::torch {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kLargestExtent = std::int64_t{1} << 48;  // elements

std::vector<std::int64_t> shape_of(const JsonReader& in) {
  std::vector<std::int64_t> shape;
  const auto found = in.json().find("shape");
  if (found == in.json().end() || !found->is_array()) {
    in.wrong("shape", "a list of extents");
    return shape;
  }
  for (const Json& extent : *found) {
    const std::int64_t value = extent.is_number_integer() ? extent.get<std::int64_t>() : -1;
    if (value < 0 || value > kLargestExtent) in.wrong("shape", "a list of extents");
    shape.push_back(value);
  }
  return shape;
}

Spread spread_of(const JsonReader& in) {
  return {.least = in.number("least"),
          .most = in.number("most"),
          .mean = in.number("mean"),
          .deviation = in.number("deviation")};
}

Member member_of(const JsonReader& in) {
  Member member{.name = in.text("name"), .dtype = in.text("dtype"), .shape = shape_of(in)};
  if (in.has("number")) member.number = in.number("number");
  if (in.has("spread")) member.spread = spread_of(in.object("spread"));
  return member;
}

std::vector<Member> members_of(const JsonReader& in, const char* key) {
  std::vector<Member> members;
  in.each(key, [&](const JsonReader& each) { members.push_back(member_of(each)); });
  return members;
}

std::optional<double> number_or_none(const JsonReader& in, const char* key) {
  return in.has(key) ? std::optional(in.number(key)) : std::nullopt;
}

std::uint64_t bytes_of(const JsonReader& in, const char* key) {
  const std::int64_t bytes = in.integer(key);
  if (bytes < 0) in.wrong(key, "a number of bytes");
  return static_cast<std::uint64_t>(bytes);
}

ErrorCode code_of(const std::string& kind) {
  if (kind == "unsupported") return ErrorCode::kUnsupported;
  if (kind == "invalid") return ErrorCode::kInvalidInput;
  if (kind == "memory") return ErrorCode::kLimit;
  if (kind == "unavailable") return ErrorCode::kUnavailable;
  return ErrorCode::kCorrupt;
}

}  // namespace

Result<Installation> installation_from(const Json& body) {
  JsonReader::Fault fault;
  const JsonReader in(body, "open", fault);
  Installation installation{.python = in.text("python"),
                            .python_version = in.text("python_version"),
                            .torch_version = in.text("torch_version"),
                            .device = in.text("device"),
                            .cuda = in.flag("cuda"),
                            .compile = in.flag("compile")};
  return value_or_fault(std::move(installation), std::move(fault));
}

Result<Constants> constants_from(const Json& body) {
  JsonReader::Fault fault;
  const JsonReader in(body, "load", fault);
  const JsonReader list = in.object("constants");
  Constants constants;
  if (!fault) {
    for (const auto& [name, value] : list.json().items())
      constants[name] = list.integer(name.c_str());
  }
  return value_or_fault(std::move(constants), std::move(fault));
}

Result<Description> description_from(const Json& body) {
  JsonReader::Fault fault;
  const JsonReader in(body, "probe", fault);
  Description description{.inputs = members_of(in, "inputs"),
                          .weights = members_of(in, "weights"),
                          .outputs = members_of(in, "outputs"),
                          .contraction_flops = number_or_none(in, "contraction_flops"),
                          .other_flops = number_or_none(in, "other_flops")};
  if (in.has("unused")) description.unused = in.texts("unused");
  if (in.has("random")) description.random = in.flag("random");
  return value_or_fault(std::move(description), std::move(fault));
}

Result<Timed> timed_from(const Json& body) {
  JsonReader::Fault fault;
  const JsonReader in(body, "time", fault);
  Timed timed;
  const JsonReader nanoseconds = in.object("nanoseconds"), failures = in.object("failures");
  if (fault) return tl::unexpected<Error>(*std::move(fault));
  for (const auto& [mode, list] : nanoseconds.json().items()) {
    for (const Json& each : list) {
      if (!each.is_number()) nanoseconds.wrong(mode.c_str(), "a list of numbers");
      if (each.is_number()) timed.nanoseconds[mode].push_back(each.get<double>());
    }
  }
  for (const auto& each : failures.json().items())
    timed.failures[each.key()] = failures.text(each.key().c_str());
  return value_or_fault(std::move(timed), std::move(fault));
}

Result<std::vector<OutputDistance>> distances_from(const Json& body) {
  JsonReader::Fault fault;
  std::vector<OutputDistance> distances;
  JsonReader(body, "compare", fault).each("outputs", [&](const JsonReader& in) {
    distances.push_back({.name = in.text("name"),
                         .shape_differs = in.flag("shape_differs"),
                         .elements = in.number("elements"),
                         .special = in.number("special"),
                         .error_l2 = in.number("error_l2"),
                         .norm_l2 = in.number("norm_l2"),
                         .response_l2 = in.number("response_l2"),
                         .eager_error_l2 = in.number("eager_error_l2"),
                         .beyond_1e4 = in.number("beyond_1e4"),
                         .beyond_1e2 = in.number("beyond_1e2"),
                         .worst_index = in.number("worst_index"),
                         .got = in.number("got"),
                         .expected = in.number("expected")});
  });
  return value_or_fault(std::move(distances), std::move(fault));
}

Result<std::vector<RawOutput>> raw_outputs_from(const Json& body) {
  JsonReader::Fault fault;
  std::vector<RawOutput> outputs;
  JsonReader(body, "run", fault).each("outputs", [&](const JsonReader& in) {
    RawOutput& output = outputs.emplace_back(RawOutput{in.text("name"), in.text("dtype"), {}});
    output.offset = bytes_of(in, "offset");
    output.bytes = bytes_of(in, "bytes");
    output.shape = shape_of(in);
  });
  return value_or_fault(std::move(outputs), std::move(fault));
}

Result<std::vector<double>> nanoseconds_from(const Json& body) {
  JsonReader::Fault fault;
  const JsonReader in(body, "time", fault);
  std::vector<double> taken;
  const Json list = body.value("nanoseconds", Json());
  if (!list.is_array()) in.wrong("nanoseconds", "a list of numbers");
  for (const Json& each : list) {
    if (!each.is_number() || each.get<double>() < 0) in.wrong("nanoseconds", "a list of times");
    if (each.is_number()) taken.push_back(each.get<double>());
  }
  return value_or_fault(std::move(taken), std::move(fault));
}

Result<std::vector<GuestKernel>> kernels_from(const Json& body) {
  JsonReader::Fault fault;
  std::vector<GuestKernel> kernels;
  JsonReader(body, "kernels", fault).each("kernels", [&](const JsonReader& in) {
    kernels.push_back(
        {in.text("name"), in.number("nanoseconds"), static_cast<int>(in.integer("launches"))});
    const double time = kernels.back().nanoseconds;
    if (!(time >= 0) || !std::isfinite(time)) in.wrong("nanoseconds", "a time");
  });
  return value_or_fault(std::move(kernels), std::move(fault));
}

Result<std::uint64_t> kept_from(const Json& body) {
  JsonReader::Fault fault;
  const JsonReader in(body, "answer", fault);
  const std::uint64_t bytes = bytes_of(in, "keeps");
  return value_or_fault(bytes, std::move(fault));
}

Error failure_from(const Json& body) {
  JsonReader::Fault fault;
  const JsonReader in(body, "answer", fault);
  Error error{code_of(in.text("kind")), in.text("message"), in.text("hint"), {}, {}};
  return fault ? *std::move(fault) : std::move(error);
}

std::string_view kind_of(ErrorCode code) {
  if (code == ErrorCode::kUnsupported) return "unsupported";
  return code == ErrorCode::kInvalidInput ? "invalid" : "";
}

}  // namespace kp::torch
