// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/sanitizer_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace kp::device::cuda {
namespace {

constexpr std::string_view kMark = "=========";
constexpr std::size_t kMostFindings = 100;
constexpr std::size_t kLongestText = 300;  // of a line

/// First lines of what is reported, by their beginning. Warnings and hints of racecheck have other
/// beginnings.
struct Opening {
  std::string_view text;
  FaultKind kind;
};
constexpr Opening kOpenings[] = {
    {"Invalid __", FaultKind::kMemory},         {"Invalid load", FaultKind::kMemory},
    {"Invalid cluster", FaultKind::kMemory},    {"Stack overflow", FaultKind::kMemory},
    {"Misaligned", FaultKind::kMisaligned},     {"Uninitialized", FaultKind::kUninitialised},
    {"Error: Race reported", FaultKind::kRace}, {"ERROR: Race reported", FaultKind::kRace},
    {"Error: Potential", FaultKind::kRace},     {"ERROR: Potential", FaultKind::kRace},
    {"Barrier error", FaultKind::kBarrier},
};
constexpr std::string_view kComplaints[] = {"Error: ", "ERROR: ", "Internal Sanitizer Error"};

/// Printable and short: the tool's own words, with names that the candidate chose.
std::string shown(std::string_view text) {
  std::string line(text.substr(0, kLongestText));
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return line;
}

std::optional<FaultKind> opened_by(std::string_view line) {
  for (const Opening& opening : kOpenings) {
    if (line.starts_with(opening.text)) return opening.kind;
  }
  return {};
}

/// "kernels.cu:12"; what has no line number is a name of something else.
SourceSpot spot_from(std::string_view place) {
  const auto colon = place.rfind(':');
  if (colon == std::string_view::npos) return {};
  const auto line = parse_integer(place.substr(colon + 1));
  if (!line || *line <= 0 || *line > 1'000'000) return {};
  return {shown(place.substr(0, colon)), static_cast<int>(*line), 0};
}

/// "scale(float *, int)+0x40 in kernels.cu:12" or "scale(float *, int):0x40 in kernels.cu:12".
void read_place(std::string_view place, SanitizerFinding& finding) {
  const auto in = place.rfind(" in ");
  const std::string_view code = place.substr(0, in);
  if (in != std::string_view::npos) finding.spot = spot_from(trim(place.substr(in + 4)));
  const auto offset = std::min(code.rfind("+0x"), code.rfind(":0x"));
  const std::string_view kernel = trim(code.substr(0, offset));
  if (!kernel.starts_with("0x")) finding.kernel = shown(kernel);
}

/// The kernel and line of an access that stands behind " at " in a sentence of racecheck.
void read_access(std::string_view sentence, SanitizerFinding& finding) {
  const auto at = sentence.find(" access at ");
  if (at == std::string_view::npos) return;
  std::string_view place = sentence.substr(at + 11);
  if (const auto more = place.rfind(" ["); more != std::string_view::npos)
    place = place.substr(0, more);
  read_place(place, finding);
}

class Reader {
 public:
  void read(std::string_view line) {
    if (!line.starts_with(kMark)) return;
    line.remove_prefix(kMark.size());
    const std::string_view said = trim(line);
    const bool detail = line.starts_with("     ");
    if (said.empty()) {
      open_ = false;
    } else if (detail) {
      read_detail(said);
    } else {
      read_opening(said);
    }
  }
  SanitizerLog log;

 private:
  void read_opening(std::string_view said) {
    open_ = false;
    if (const auto kind = opened_by(said)) {
      if (log.findings.size() == kMostFindings) return;
      SanitizerFinding& finding = log.findings.emplace_back();
      finding.kind = *kind;
      finding.text = shown(said);
      read_access(said, finding);
      open_ = true;
    } else if (said.find("SUMMARY") != std::string_view::npos) {
      log.complete = true;
    } else if (log.complaint.empty() &&
               std::ranges::any_of(kComplaints, [said](std::string_view beginning) {
                 return said.starts_with(beginning);
               })) {
      log.complaint = shown(said);
    }
  }

  void read_detail(std::string_view said) {
    if (!open_) return;
    SanitizerFinding& finding = log.findings.back();
    if (said.starts_with("at ")) {
      read_place(said.substr(3), finding);
    } else if (said.starts_with("by ") || said.starts_with("Address ") ||
               said.starts_with("and ")) {
      finding.detail += (finding.detail.empty() ? "" : ", ") + shown(said);
      if (finding.kind == FaultKind::kMemory && said.ends_with("is misaligned"))
        finding.kind = FaultKind::kMisaligned;
    }
  }

  bool open_ = false;  // what is indented belongs to the last finding
};

}  // namespace

SanitizerLog read_sanitizer_log(std::string_view text) {
  Reader reader;
  for (const std::string_view line : split_lines(text)) reader.read(line);
  return std::move(reader.log);
}

Crashed crash_of(const SanitizerFinding& finding, std::string_view tool) {
  std::string message = fmt::format("{}: {}", tool, finding.text);
  if (!finding.kernel.empty()) message += fmt::format(" in {}", finding.kernel);
  if (!finding.detail.empty()) message += fmt::format(" ({})", finding.detail);
  return {.fault = finding.kind,
          .message = std::move(message),
          .kernel = finding.kernel.substr(0, finding.kernel.find('(')),
          .spot = finding.spot};
}

}  // namespace kp::device::cuda
