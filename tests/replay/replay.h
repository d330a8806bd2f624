// SPDX-License-Identifier: Apache-2.0
// What the tools say of recorded evidence of a corpus of planted faults (bench/corpus and its
// held-out part). No GPU is needed: profiles are stored, sources lie in the corpus.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "model/finding.h"

namespace kp::replay {

/// A corpus and what hardware said of it.
struct Recorded {
  Path corpus;    // folder with corpus.json
  Path evidence;  // JSON: NAME/fault, NAME/fixed, NAME/roof -> profile
  Path results;   // JSON of gpu-check's part: the gains that twins have; empty: not known
};

/// What is stored of "corpus" or "heldout" (bench/results/h200).
Recorded recorded(const std::string& part);

/// One kernel, judged now.
struct Judged {
  std::string name, version;  // version: "fault", "fixed" or "roof"
  std::string tool;           // that the fault of this name is planted for; empty at the roof
  Diagnosis diagnosis;
  std::optional<double> gain;  // of the twin, measured; on the fault

  /// Tool of the first finding; empty: none.
  std::string first() const;
  /// A finding of `wanted` that asks somebody to act; any tool's when it is empty.
  bool warns(const std::string& wanted) const;
  /// What the planted tool promised; nothing when it is silent.
  const Finding* promise() const;
  bool within() const;
};

struct Share {
  int count = 0, of = 0;
  bool operator==(const Share&) const = default;
};
/// As in the table of gpu-check.
struct Score {
  Share named, silent, quiet, within, narrow;
};

/// In the order of the evidence's names. kNotFound, kCorrupt: what is wrong with which file.
Result<std::vector<Judged>> judge(const Recorded& recorded);
Score score(const std::vector<Judged>& all);

}  // namespace kp::replay
