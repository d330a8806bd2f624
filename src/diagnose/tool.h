// SPDX-License-Identifier: Apache-2.0
// A tool encodes one expert heuristic: when it is worth speaking, what it means, what to do, and
// how much that can bring at most. It is a pure function of Evidence, without state, safe to run in
// parallel.
//
// One file in tools/ for each; the class stays in an anonymous namespace and the file ends with its
// maker. The comment on top has five labelled parts: Sees / Costs because / Try / Misleads when /
// Source. Thresholds are named constants at the top with unit and source. catalog.cc is the only
// list.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "diagnose/evidence.h"
#include "model/finding.h"

namespace kp::diagnose {

/// Looked, and found nothing worth saying.
struct Silent {};
/// Could not look: a metric is unknown, or the kernel is not of the kind.
struct NotApplicable {
  std::string why;
};
using Verdict = std::variant<Silent, NotApplicable, Finding>;

/// What `kernelpro tools` and docs/tools.md print.
struct About {
  std::string_view name;  // "bank_conflict"
  std::string_view sees;
  std::string_view costs;
  std::string_view tries;
  std::string_view misleads;
  std::string_view source;
};

class Tool {
 public:
  virtual ~Tool() = default;
  virtual About about() const = 0;
  /// Metrics without which the tool is not applicable.
  virtual std::span<const MetricKey> needs() const = 0;
  /// Whether the gate lets the tool speak about kernels bound like this.
  virtual bool relevant(Boundness boundness) const = 0;
  /// Called only when all of needs() is known.
  virtual Verdict examine(const Evidence& evidence) const = 0;
};

/// All tools in alphabetical order of name.
const std::vector<std::unique_ptr<Tool>>& tools();
/// The tool of that name, or null.
const Tool* find_tool(std::string_view name);
/// What `tool` says: Silent when the gate does not let it speak, NotApplicable when a metric it
/// needs is unknown, else its own verdict.
Verdict ask(const Tool& tool, const Evidence& evidence);
/// Not applicable because `key` is unknown.
NotApplicable unknown(const MetricKey& key);

}  // namespace kp::diagnose
