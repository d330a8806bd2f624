// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/fault.h"

#include <fmt/format.h>

#include <algorithm>

namespace kp::device::cuda {
namespace {

constexpr std::size_t kLongestName = 400;  // of a text that a process sent

struct Meaning {
  int code;  // CUresult
  FaultKind kind;
  bool ends_process;
  const char* text;
};
constexpr Meaning kProcessEnded{0, FaultKind::kTrap, true, "its process ended"};
constexpr Meaning kUnknown{999, FaultKind::kTrap, true, "the driver reports an error"};
constexpr Meaning kMeanings[] = {
    kProcessEnded,
    {1, FaultKind::kOutOfResources, false, "the driver refuses the launch as invalid"},
    {2, FaultKind::kOutOfResources, false, "out of device memory"},
    {98, FaultKind::kUnsupported, false, "a kernel that this GPU cannot run"},
    {200, FaultKind::kUnsupported, false, "the driver cannot read the binary"},
    {209, FaultKind::kUnsupported, false, "the binary holds no code for this GPU"},
    {218, FaultKind::kUnsupported, false, "the driver cannot translate the binary"},
    {301, FaultKind::kUnsupported, false, "the binary names a file that is not there"},
    {302, FaultKind::kUnsupported, false, "the binary names a symbol that is not there"},
    {500, FaultKind::kUnsupported, false, "the binary does not hold the kernel"},
    {700, FaultKind::kMemory, true, "access to an address outside of every array"},
    {701, FaultKind::kOutOfResources, false,
     "the launch needs more registers or shared memory "
     "than an SM has"},
    {702, FaultKind::kTrap, true, "the driver ended a kernel that ran too long"},
    {710, FaultKind::kTrap, true, "a device-side assertion"},
    {714, FaultKind::kMemory, true, "the stack of a thread overflowed or was corrupted"},
    {715, FaultKind::kIllegalInstruction, true, "an illegal instruction"},
    {716, FaultKind::kMisaligned, true, "access to an address that is not aligned"},
    {717, FaultKind::kMemory, true, "access to an address in the wrong address space"},
    {718, FaultKind::kIllegalInstruction, true, "a jump to an invalid address"},
    {719, FaultKind::kTrap, true, "the kernel ended by a trap or a fault of its own"},
    {720, FaultKind::kOutOfResources, false,
     "a cooperative launch of more blocks than the GPU "
     "holds at once"},
    {801, FaultKind::kUnsupported, false, "a form of launch that this GPU does not support"},
    {912, FaultKind::kOutOfResources, false, "a cluster of more blocks than the GPU can place"},
    kUnknown,
};

/// Codes below 700 that are not in the table concern one call.
Meaning meaning_of(int code) {
  const auto* found =
      std::ranges::find_if(kMeanings, [code](const Meaning& known) { return known.code == code; });
  if (found != std::end(kMeanings)) return *found;
  Meaning meaning = kUnknown;
  constexpr int kFirstOfLaunches = 700, kUncorrectable = 214;
  meaning.ends_process = code >= kFirstOfLaunches || code == kUncorrectable;
  return meaning;
}

std::string kernel_of(const Fault& fault, std::span<const BoundStep> steps) {
  const auto index = static_cast<std::size_t>(fault.step);
  if (fault.step < 0 || index >= steps.size()) return {};
  const auto* launch = std::get_if<BoundLaunch>(&steps[index]);
  return launch != nullptr ? launch->kernel : std::string("zero");
}

std::string describe(const Fault& fault) {
  const Meaning meaning = meaning_of(fault.code);
  if (fault.code == 0) return fmt::format("{}: {}", meaning.text, fault.name);
  return fmt::format("{} (CUDA error {}, {})", meaning.text, fault.code, fault.name);
}

/// Text of a process is not to be trusted: printable and short.
std::string printable(std::string text) {
  text.resize(std::min(text.size(), kLongestName));
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace

Fault fault_from(const nlohmann::json& answer) {
  Fault fault{.code = kUnknown.code, .name = "unknown"};
  const auto number = [](const nlohmann::json& from, const char* key, int& value) {
    const auto found = from.find(key);
    if (found != from.end() && found->is_number_integer()) value = found->get<int>();
  };
  const auto text = [](const nlohmann::json& from, const char* key, std::string& value) {
    const auto found = from.find(key);
    if (found != from.end() && found->is_string()) value = printable(found->get<std::string>());
  };
  if (!answer.is_object()) return fault;
  number(answer, "guilty", fault.guilty);
  const auto found = answer.find("fault");
  if (found == answer.end() || !found->is_object()) return fault;
  number(*found, "code", fault.code);
  number(*found, "step", fault.step);
  text(*found, "name", fault.name);
  text(*found, "phase", fault.phase);
  return fault;
}

bool ends_process(const Fault& fault) { return meaning_of(fault.code).ends_process; }

Crashed crash_of(const Fault& fault, std::span<const BoundStep> steps) {
  const std::string kernel = kernel_of(fault, steps);
  const std::string where = kernel.empty() ? fault.phase : "kernel " + kernel;
  return {
      .fault = meaning_of(fault.code).kind,
      .message = where.empty() ? describe(fault) : fmt::format("{}: {}", where, describe(fault)),
      .kernel = kernel,
      .spot = {}};
}

Error error_of(const Fault& fault, std::string_view what) {
  const bool full = fault.code == kOutOfMemory;
  const bool ended = fault.code == 0;
  return {full ? ErrorCode::kLimit : ErrorCode::kUnavailable,
          ended ? fmt::format("{}: {}", what, describe(fault))
                : fmt::format("{}: {} (CUDA error {})", what, fault.name, fault.code),
          full ? "use smaller workloads, or end other programs that use the GPU"
               : "run kernelpro doctor",
          {},
          {}};
}

}  // namespace kp::device::cuda
