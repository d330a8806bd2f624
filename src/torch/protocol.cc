// SPDX-License-Identifier: Apache-2.0
#include "torch/protocol.h"

#include <fmt/format.h>

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

Result<std::uint64_t> kept_from(const Json& body) {
  JsonReader::Fault fault;
  const JsonReader in(body, "answer", fault);
  const std::int64_t bytes = in.integer("keeps");
  if (bytes < 0) in.wrong("keeps", "a number of bytes");
  return value_or_fault(static_cast<std::uint64_t>(bytes), std::move(fault));
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
