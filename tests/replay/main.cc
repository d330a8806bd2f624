// SPDX-License-Identifier: Apache-2.0
// What the tools name first on recorded evidence of planted faults, and all that they say of one:
// corpus_replay [--heldout] [NAME].
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "replay/replay.h"

namespace {

using namespace kp;

std::string brief(const Diagnosis& diagnosis) {
  std::string text;
  for (const Finding& finding : diagnosis.findings) {
    if (finding.severity == Severity::kInfo && !text.empty()) continue;
    text +=
        fmt::format(" {}({} {:.2f}-{:.2f})", finding.tool, name_of(finding.severity).substr(0, 1),
                    finding.gain.low, finding.gain.high);
  }
  return fmt::format("{}{}{}", diagnosis.at_roof ? "ROOF " : "", name_of(diagnosis.boundness),
                     text);
}

void print_line(const replay::Judged& one) {
  const bool fault = one.version == "fault";
  const char* verdict = "    ";
  if (fault) verdict = one.first() == one.tool ? "ok  " : "MISS";
  if (!fault && one.warns(one.version == "roof" ? "" : one.tool)) verdict = "TELL";
  std::string gain;
  if (one.gain) gain = fmt::format("{}{:.2f}", one.within() ? "" : "! ", *one.gain);
  fmt::print("{} {:<28} {:<18} {:>7}  {}\n", verdict, one.name + "/" + one.version,
             fault ? one.tool : "-", gain, brief(one.diagnosis));
}

void print_all(const replay::Judged& one) {
  print_line(one);
  fmt::print("  {}\n", one.diagnosis.why);
  for (const Finding& f : one.diagnosis.findings)
    fmt::print("  {} {} {} {:.2f}-{:.2f}: {} {}\n", name_of(f.severity), f.tool, f.kernel,
               f.gain.low, f.gain.high, f.saw, f.costs);
  for (const std::string& reason : one.diagnosis.not_applicable) fmt::print("  - {}\n", reason);
}

void print_score(const replay::Score& score) {
  const auto line = [](std::string_view what, replay::Share share) {
    fmt::print("{}: {} of {}\n", what, share.count, share.of);
  };
  line("named first", score.named);
  line("twin silent", score.silent);
  line("quiet at the roof", score.quiet);
  line("gain within the range", score.within);
  line("range at most 3 wide", score.narrow);
}

}  // namespace

int main(int count, char** arguments) {
  const bool held_out = count > 1 && std::string_view(arguments[1]) == "--heldout";
  const char* name = count > (held_out ? 2 : 1) ? arguments[held_out ? 2 : 1] : nullptr;
  const auto all = replay::judge(replay::recorded(held_out ? "heldout" : "corpus"));
  if (!all) {
    fmt::print(stderr, "corpus_replay: {}\n", all.error().text());
    return 1;
  }
  for (const replay::Judged& one : *all) {
    if (name == nullptr) print_line(one);
    if (name != nullptr && one.name == name) print_all(one);
  }
  if (name == nullptr) print_score(replay::score(*all));
  return 0;
}
